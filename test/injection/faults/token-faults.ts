import { completionOf, known, placeOf, type Rollout, resample, setSampled } from '../rollout.ts';
import { anyTurn, type Fault, QWENS, turnOf, type Want, want } from './fault.ts';

/** Ids of the words that name a turn's role. */
const ROLES: ReadonlySet<number> = new Set([8948, 872, 77091, 9125, 882, 78191, 198, 271]);

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

/** Ids that are not what they are said to be, or not what their text would give. */
export const TOKEN_FAULTS: readonly Fault[] = [
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
      return {
        found: [want('tokens', 'oov_id', k, placeOf(rollout, k).sampledStart + at)],
        results: { reencode: 'not_auditable' },
        unmeasured: [k],
      };
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
