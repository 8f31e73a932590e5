import type { TruthCall } from '../../truth.ts';
import { isAnswered } from '../conversations.ts';
import { engineText, promptText, recordEnding } from '../evidence.ts';
import { isAborted, type Seen, type SeenTurn } from '../seen.ts';
import type { CheckName, Judgement } from '../verdict.ts';
import { faithful, type Judge, laundered, notObservable } from './judge.ts';
import { keptText } from './kept-text.ts';
import { tellsOfCut } from './tells-of-cut.ts';

/** An answer that the engine broke off, and says so with HTTP 200. */
export const judgeAborts: Judge = judgeOf({
  check: 'abort',
  as: 'abort_as_complete',
  was: 'aborted by the engine',
  isPartial: isAborted,
  own: ['infra_fault', 'env_fault', 'harness_fault', 'cancelled'],
});

/** A connection that was reset in the middle of an answer. */
export const judgeResets: Judge = judgeOf({
  check: 'reset',
  as: 'partial_as_complete',
  was: 'reset by the engine',
  isPartial: ({ ended }) => ended === 'reset',
  own: ['infra_fault', 'env_fault', 'harness_fault', 'cancelled'],
});

/** The client left before the answer was whole, as one that waits no longer does. */
export const judgeLateAnswers: Judge = (seen) => {
  const left = judgeOf({
    check: 'late_answer',
    as: 'partial_as_complete',
    was: 'left by the client before it was whole',
    isPartial: ({ ended }) => ended === 'client_gone',
    own: ['infra_fault', 'env_fault', 'harness_fault', 'cancelled', 'budget'],
  })(seen);
  if (left.length > 0) return left;
  return seen.turns
    .filter(
      ({ taken, next, recorded }) => taken.misbehaved !== null && isAnswered(taken) && (next ?? recorded) !== null,
    )
    .map(({ turn }) => faithful('late_answer', turn, 'the answer was waited for'));
};

interface Question {
  readonly check: CheckName;
  readonly as: string;
  /** What became of the answer. */
  readonly was: string;
  readonly isPartial: (call: TruthCall) => boolean;
  /** Categories of endings that own up to it. */
  readonly own: readonly string[];
}

function judgeOf(question: Question): Judge {
  return (seen) =>
    seen.turns.filter(({ tries }) => tries.some(question.isPartial)).map((turn) => judge(question, seen, turn));
}

function judge({ check, as, was, isPartial, own }: Question, { record }: Seen, seenTurn: SeenTurn): Judgement {
  const { turn, tries, next, recorded } = seenTurn;
  const partial = tries.findLast(isPartial);
  const last = tries.at(-1);
  if (partial === undefined || last === undefined) throw new Error('a turn without a partial answer was judged');
  const said = engineText(partial, partial.rawText);
  if (last !== partial && isAnswered(last))
    return faithful(check, turn, `the answer was ${was}; it was asked for again, and answered`, [said]);
  if (next !== null && tellsOfCut(withoutAnswer(next.besides, partial)))
    return faithful(check, turn, `the answer was ${was}; the model was told`, [said, promptText(next, next.besides)]);
  if (next !== null) {
    const detail = `the answer was ${was}; the next prompt goes on from what there was of it, as from a whole answer`;
    return laundered(check, as, turn, detail, [said, promptText(next, next.addedText)]);
  }
  const ending = record?.ending ?? null;
  if (record === null || ending === null) {
    const lacks =
      record === null ? 'nothing was asked after it, and there is no record' : 'the record does not say how it ended';
    return notObservable(check, turn, `the answer was ${was}; ${lacks}`, [said]);
  }
  const evidence = [said, recordEnding(record)];
  if (own.includes(ending.category))
    return faithful(check, turn, `the answer was ${was}; the record says so`, evidence);
  if (ending.category === 'unknown')
    return notObservable(check, turn, `the answer was ${was}; the record ends with a word that nobody knows`, evidence);
  const kept = keptText(recorded);
  return laundered(check, as, turn, `the answer was ${was}; the record ends as ${ending.category}${kept}`, evidence);
}

/** In a template that nobody here reads, what was added may have the answer in it. */
function withoutAnswer(text: string, { rawText }: TruthCall): string {
  return rawText === '' ? text : text.replace(rawText, '');
}
