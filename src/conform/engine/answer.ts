import { createRandom } from '../../simulate/random.ts';
import type { Finish, Play, Turn } from '../scenarios/scenario.ts';
import type { Asked } from './asked.ts';
import { logprobOf } from './logprob-of.ts';
import { textDeltas } from './text-deltas.ts';
import type { Vocabulary } from './vocabulary.ts';

/** All that is told of a completion, before a dialect gives it its shape. */
export interface Answer {
  readonly asked: Asked;
  readonly ids: readonly number[];
  /** As many as ids, or more where a scenario says so. */
  readonly logprobs: readonly number[];
  /** Of the prompt from `logprobStart` on; the first of a prompt has none. */
  readonly promptLogprobs: ReadonlyArray<number | null>;
  /** As text, by token, as the client is shown it. */
  readonly deltas: readonly string[];
  readonly text: string;
  readonly finish: Finish;
  readonly spans: ReadonlyArray<{ readonly start: number; readonly version: string }>;
  /** The prompt ended within a thought. */
  readonly opensInThought: boolean;
  /** The end token that ended it is the model's first. */
  readonly endsPlainly: boolean;
  readonly cachedTokens: number;
  readonly createdS: number;
  /** Text of one token, as it is told beside its logprob. */
  readonly textOf: (id: number) => string;
}

export interface AnswerFacts {
  readonly asked: Asked;
  readonly turn: Turn;
  readonly seed: number;
  readonly cachedTokens: number;
  readonly createdS: number;
}

const ONE_VERSION = [{ start: 0, version: 'v1' }];

/** What a play comes to under the limits of the request. */
export function answerOf(play: Play, { asked, turn, seed, cachedTokens, createdS }: AnswerFacts): Answer {
  const { vocabulary } = turn;
  const { ids, finish } = limited(play, asked, vocabulary);
  const stop = finish.type === 'stop' ? finish.matched : null;
  const isTrimmed = (at: number): boolean => typeof stop === 'number' && !asked.keepsStop && at === ids.length - 1;
  const isShown = (id: number, at: number): boolean =>
    !isTrimmed(at) && !(asked.skipSpecialTokens && vocabulary.isSpecial(id));
  const deltas = withoutStopText(textDeltas(vocabulary, ids, isShown), asked.keepsStop ? null : stop);
  const salt = Math.trunc(
    createRandom(`logprobs ${seed} ${turn.task.scenario} ${turn.task.number} ${turn.turn}`).next() * 2 ** 31,
  );
  const extra = ids.length === play.ids.length ? (play.extraLogprobs ?? 0) : 0;
  const spans = (play.versions ?? ONE_VERSION).filter(({ start }) => start === 0 || start < ids.length);
  return {
    asked,
    ids,
    logprobs: Array.from({ length: ids.length + extra }, (_, at) => logprobOf(salt, ids[at] ?? 0, at)),
    promptLogprobs: promptLogprobsOf(asked, salt),
    deltas,
    text: deltas.join(''),
    finish,
    spans,
    opensInThought: play.inThought ?? turn.opensInThought,
    endsPlainly: stop === vocabulary.eosIds[0],
    cachedTokens,
    createdS,
    textOf: (id) => vocabulary.text([id]),
  };
}

function limited(
  play: Play,
  { maxTokens, stopTexts, stopIds }: Asked,
  vocabulary: Vocabulary,
): Pick<Play, 'ids' | 'finish'> {
  let { ids, finish } = play;
  const stopAt = stopIds.length === 0 ? -1 : ids.findIndex((id) => stopIds.includes(id));
  if (stopAt !== -1) [ids, finish] = [ids.slice(0, stopAt + 1), { type: 'stop', matched: ids[stopAt] ?? 0 }];
  for (const text of stopTexts) {
    const length = text === '' ? 0 : tokensUntil(ids, text, vocabulary);
    if (length > 0 && length < ids.length) [ids, finish] = [ids.slice(0, length), { type: 'stop', matched: text }];
  }
  if (maxTokens !== null && ids.length > maxTokens)
    [ids, finish] = [ids.slice(0, maxTokens), { type: 'length', length: maxTokens }];
  return { ids, finish };
}

/** Tokens until a text is whole; 0: it does not come. */
function tokensUntil(ids: readonly number[], text: string, vocabulary: Vocabulary): number {
  if (!vocabulary.text(ids).includes(text)) return 0;
  let said = '';
  for (const [at, delta] of textDeltas(vocabulary, ids, () => true).entries()) {
    said += delta;
    if (said.includes(text)) return at + 1;
  }
  return 0;
}

/** A stop text is cut off the end, with what stands after it. */
function withoutStopText(deltas: string[], stop: number | string | null): string[] {
  if (typeof stop !== 'string') return deltas;
  let room = deltas.join('').indexOf(stop);
  if (room === -1) return deltas;
  return deltas.map((delta) => {
    const kept = delta.slice(0, room);
    room -= kept.length;
    return kept;
  });
}

function promptLogprobsOf({ promptIds, logprobs, logprobStart }: Asked, salt: number): Array<number | null> {
  if (logprobs === null || logprobStart < 0) return [];
  // The first of them has nothing before it that could have foretold it.
  return promptIds.slice(logprobStart).map((id, at) => (at === 0 ? null : logprobOf(salt ^ 1, id, logprobStart + at)));
}
