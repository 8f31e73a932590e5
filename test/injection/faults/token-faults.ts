import type { Random } from '../../../src/simulate/random.ts';
import { spacedJson } from '../models.ts';
import { completionOf, known, placeOf, type Rollout, resample, setSampled } from '../rollout.ts';
import { anyTurn, type Fault, followedTurn, type Injected, QWENS, someTurn, turnOf, type Want, want } from './fault.ts';

/** Ids of the words that name a turn's role. */
const ROLES: ReadonlySet<number> = new Set([8948, 872, 77091, 9125, 882, 78191, 198, 271]);

/** The next prompt holds other ids in the place of what turn `k` sampled. */
function remember(rollout: Rollout, k: number, ids: readonly number[]): number {
  const { length } = turnOf(rollout, k).sampled;
  turnOf(rollout, k + 1).rewrite = (held) => [...held.slice(0, held.length - length), ...ids];
  return placeOf(rollout, k + 1).prefix;
}

function drifted(k: number, index: number, name: string): Pick<Injected, 'found' | 'follows'> {
  return {
    found: [want('tokens', 'pipeline_drift', k + 1, index)],
    follows: [{ ...want('tokens', name, k + 1, index), why: 'says what became of the completion' }],
  };
}

/** Samples turn `k` in a split of its own. */
function split(rollout: Rollout, k: number, random: Random): readonly number[] {
  const turn = turnOf(rollout, k);
  resample(rollout, turn);
  const canonical = turn.sampled;
  const other = known(rollout.model.splitter(canonical, random));
  setSampled(turn, other.ids, { index: other.index, class: 'bpe_split' });
  return canonical;
}

/** A completion that begins with sampled pieces, which come back as others from `index` on. */
function beginWith(
  rollout: Rollout,
  k: number,
  pieces: readonly number[],
  drift: { index: number; class: string },
): Want {
  const { model } = rollout;
  const turn = turnOf(rollout, k);
  turn.thought = null;
  turn.calls = [];
  turn.content = ` ${turn.content || 'and so on.'}`.replace(/^ (?!\w)/, ' it is ');
  setSampled(turn, [...pieces, ...model.encode(turn.content), model.endId], drift);
  return want('reencode', drift.class, k, placeOf(rollout, k).sampledStart + drift.index);
}

export const TOKEN_FAULTS: readonly Fault[] = [
  {
    name: 'a prompt that holds re-encoded ids of a completion is drift at the first of them (cases 2, 3)',
    wishes: { least: 2 },
    inject(rollout, random) {
      const k = followedTurn(rollout, random);
      const canonical = split(rollout, k, random);
      return drifted(k, remember(rollout, k, canonical), 'bpe_split');
    },
  },
  {
    name: 'a tool call whose JSON was written anew in the history is told as such (cases 18, 19)',
    models: QWENS,
    wishes: { least: 2, calls: true },
    inject(rollout, random) {
      const k = someTurn(rollout, random, ({ calls }) => calls.length > 0);
      const turn = turnOf(rollout, k);
      const args = { city: 'Paris', q: '北京', limit: random.whole(1, 99) };
      const [call] = turn.calls;
      const isEscaped = random.chance(0.5);
      const json = isEscaped ? spacedJson(args) : JSON.stringify(args);
      const again = isEscaped ? spacedJson(args).replace('北京', '\\u5317\\u4eac') : spacedJson(args);
      turn.calls = [{ ...known(call), written: `{"name": "search", "arguments": ${json}}` }];
      const own = known(turn.calls[0]);
      own.listed = { ...known(own.listed), name: 'search', arguments_parsed: JSON.stringify(args) };
      own.results = own.results.slice(0, 1).map(({ result, span }) => ({
        result: { ...result, name: 'search', executed_arguments: JSON.stringify(args) },
        span,
      }));
      dropOtherResults(rollout, k);
      resample(rollout, turn);
      const text = completionOf(turn).text.replace(json, again);
      return drifted(
        k,
        remember(rollout, k, [...rollout.model.encode(text), rollout.model.endId]),
        'tool_json_rerender',
      );
    },
  },
  {
    name: 'a completion whose text was changed in the history is drift at the first change (cases 5, 22)',
    wishes: { least: 2 },
    inject(rollout, random) {
      const { model } = rollout;
      const k = followedTurn(rollout, random);
      const turn = turnOf(rollout, k);
      turn.content = `The first answer is seven and the second answer is eight. ${turn.content}`;
      resample(rollout, turn);
      const text = completionOf(turn).text.replace('is seven and', 'was seven or');
      return drifted(k, remember(rollout, k, [...model.encode(text), model.endId]), 'render_drift');
    },
  },
  {
    name: 'blanks that were stripped off a completion in the history are told as other text (case 22)',
    wishes: { least: 2 },
    inject(rollout, random) {
      const { model } = rollout;
      const k = followedTurn(rollout, random);
      const turn = turnOf(rollout, k);
      turn.calls = [];
      dropOtherResults(rollout, k);
      turn.finish = 'stop';
      turn.content = `${turn.content || 'All is done'} .\n\n`;
      resample(rollout, turn);
      const index = remember(rollout, k, [...model.encode(completionOf(turn).text.trimEnd()), model.endId]);
      return {
        ...drifted(k, index, 'render_drift'),
      };
    },
  },
  {
    name: 'a prompt that goes on without an earlier exchange is a rewritten history, and nobody is blamed',
    models: ['qwen2_5', 'llama3_1'],
    wishes: { least: 4 },
    inject(rollout) {
      const k = rollout.turns.length - 1;
      const from = placeOf(rollout, 1).held.length;
      const cut = placeOf(rollout, k).held.length;
      const kept = placeOf(rollout, k - 1).held.length;
      turnOf(rollout, k).rewrite = (held) => [...held.slice(0, from), ...held.slice(kept, cut)];
      return { found: [want('tokens', 'history_rewritten', k, placeOf(rollout, k).prefix)] };
    },
  },
  {
    name: 'a completion that was thrown away and sampled again is a rewritten history, and nobody is blamed',
    wishes: { least: 2, calls: false },
    inject(rollout, random) {
      const k = followedTurn(rollout, random) + 1;
      const { length } = turnOf(rollout, k - 1).sampled;
      const turn = turnOf(rollout, k);
      turn.messages = [];
      turn.added = [];
      turn.rewrite = (held) => held.slice(0, held.length - length);
      return { found: [want('tokens', 'history_rewritten', k, placeOf(rollout, k).prompt.length)] };
    },
  },
  {
    name: 'a history without the thinking of an earlier turn is rewritten, and is told as stripped (cases 26, 27)',
    models: ['qwen3'],
    wishes: { least: 2, calls: false, thinks: true },
    inject(rollout, random) {
      const k = followedTurn(rollout, random);
      const turn = turnOf(rollout, k);
      // The blank line after it is a token of its own.
      const index = remember(rollout, k, turn.sampled.slice(turn.sampled.indexOf(151668) + 2));
      const at = placeOf(rollout, k).sampledStart;
      return {
        found: [want('tokens', 'history_rewritten', k + 1, index)],
        follows: [{ ...want('template', 'think_stripped', k + 1, at), why: 'the turn says it of itself' }],
      };
    },
  },
  {
    name: 'a prompt that is said to reuse more than is held breaks the record',
    inject(rollout) {
      const k = rollout.turns.length - 1;
      const { held } = placeOf(rollout, k);
      rollout.edits.push((events) => {
        const call = events.findLast(({ kind }) => kind === 'model_call')?.model_call;
        if (call === null || call === undefined) return;
        call.prompt_prefix_len = held.length + 7;
        call.usage = null;
      });
      const nothing = k === 0 ? { template: 'not_auditable', reencode: 'not_auditable', numbers: 'not_auditable' } : {};
      return { found: [want('tokens', 'prefix_beyond_held', null, null)], unmeasured: [k], results: nothing };
    },
  },
  {
    name: 'counts of the engine that are not those of the ids are told with their turn',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const [sampled, prompt] = random.pick([
        [3, 0],
        [1, 0],
        [-1, 0],
        [0, -2],
        [0, 40],
      ] as const);
      rollout.edits.push((events) => {
        const usage = events.filter(({ kind }) => kind === 'model_call')[k]?.model_call?.usage;
        if (usage === null || usage === undefined) return;
        usage.completion_tokens = (usage.completion_tokens ?? 0) + sampled;
        usage.prompt_tokens = (usage.prompt_tokens ?? 0) + prompt;
      });
      return { found: [want('tokens', 'usage_mismatch', k, null)] };
    },
  },
  {
    name: 'a sampled id that the tokenizer has not is told before anything is decoded (case 21)',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      resample(rollout, turn);
      const at = random.whole(0, turn.sampled.length - 2);
      turn.rawText = completionOf(turn).text;
      turn.sampled[at] = random.pick([999_999, 151_936, 4_294_967_295]);
      return { found: [want('reencode', 'oov_id', k, placeOf(rollout, k).sampledStart + at)], unmeasured: [k] };
    },
  },
  {
    name: 'an id of a prompt that the tokenizer has not is told where it stands (case 21)',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const { added } = turnOf(rollout, k);
      const places = added.flatMap((id, i) => (id < 100_000 && !ROLES.has(id) && i > 4 ? [i] : []));
      const at = random.pick(places);
      const { added: tokens } = rollout.model.knowledge.tokenizer;
      if (tokens.has(added[at] ?? 0)) throw new Error('a special token');
      added[at] = 999_999;
      const { prompt } = placeOf(rollout, k);
      return { found: [want('tokens', 'oov_id', k, prompt.length - added.length + at)] };
    },
  },
  {
    name: 'a record of another tokenizer is refused and not measured (case 9)',
    inject(rollout) {
      rollout.start = { ...rollout.start, tokenizer_sha256: '0123456789abcdef'.repeat(4) };
      return {
        found: [],
        results: { template: 'not_auditable', reencode: 'not_auditable' },
        unmeasured: rollout.turns.map((_, i) => i),
      };
    },
  },
  {
    name: 'a character that the limit of length cut in two is told at its first token (case 11)',
    inject(rollout, random) {
      const { model } = rollout;
      const k = rollout.turns.length - 1;
      const turn = turnOf(rollout, k);
      const whole = known(['🦩', '𝕏', '🫠', '𓀀'].map((one) => model.encode(one)).find(({ length }) => length > 1));
      turn.content = `${turn.content || 'It is'} done`;
      resample(rollout, turn, false);
      const head = turn.sampled;
      const cut = random.whole(1, whole.length - 1);
      setSampled(turn, [...head, ...whole.slice(0, cut)], { index: head.length, class: 'partial_utf8' });
      turn.finish = 'length';
      rollout.end = { reasons: [{ raw: 'max_tokens_reached', system: 'strands-env' }] };
      return { found: [want('reencode', 'partial_utf8', k, placeOf(rollout, k).sampledStart + head.length)] };
    },
  },
  {
    name: 'what a normalizer changes comes back as another text (case 10)',
    models: QWENS,
    inject(rollout) {
      const k = rollout.turns.length - 1;
      return { found: [beginWith(rollout, k, [924, 1859, 53839], { index: 1, class: 'normalizer' })] };
    },
  },
  {
    name: 'where a tokenizer has no normalizer, decomposed text is no drift (case 10)',
    models: ['llama3_1'],
    inject(rollout) {
      const k = rollout.turns.length - 1;
      beginWith(rollout, k, [936, 1897, 54939], { index: 0, class: 'none' });
      turnOf(rollout, k).drift = null;
      return { found: [] };
    },
  },
  {
    name: 'ordinary tokens that spell a special one come back as it (case 7)',
    inject(rollout) {
      const { model } = rollout;
      const k = rollout.turns.length - 1;
      const name = model.endText.slice(2, -2);
      const pieces = ['<', '|', ...(name === 'im_end' ? ['im', '_', 'end'] : ['e', 'ot', '_', 'id']), '|', '>'];
      const ids = pieces.flatMap((piece) => model.encode(piece));
      return { found: [beginWith(rollout, k, ids, { index: 0, class: 'special_spelling' })] };
    },
  },
  {
    name: 'one sampled token of id 0 is padding and no step (case 91)',
    inject(rollout) {
      rollout.turns = rollout.turns.slice(0, 1);
      const turn = turnOf(rollout, 0);
      Object.assign(turn, { calls: [], thought: null, content: '!', finish: null });
      setSampled(turn, [0], null);
      return { found: [want('tokens', 'pad_row', 0, null)] };
    },
  },
  {
    name: 'routed experts of another length than the sequence are misaligned (case 89)',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const { end } = placeOf(rollout, k);
      const rows = random.pick([end, end - 2, end - 5]);
      rollout.edits.push((events) => {
        const call = events.filter(({ kind }) => kind === 'model_call')[k]?.model_call;
        if (call === null || call === undefined) return;
        call.aux_ref = { name: 'routed_experts', uri: 's3://routes/1', shape: [rows, 48, 8], dtype: 'uint8' };
      });
      return { found: [want('tokens', 'routing_misaligned', k, null)] };
    },
  },
];

/** Of a turn that has fewer calls now, the next prompt shows fewer results. */
function dropOtherResults(rollout: Rollout, k: number): void {
  const { model } = rollout;
  const { calls } = turnOf(rollout, k);
  const next = turnOf(rollout, k + 1);
  if (next.messages[0]?.role !== 'tool') return;
  next.messages = calls.length === 0 ? [{ role: 'user', content: 'Go on.' }] : next.messages.slice(0, calls.length);
  const prefill = (rollout.start.template_vars_json ?? '').includes('false') ? '<think>\n\n</think>\n\n' : '';
  next.added = model.encode(`${model.separatorText}${model.turnsText(next.messages)}${model.generationText}${prefill}`);
}
