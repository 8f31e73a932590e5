import type { Random } from '../../../src/simulate/random.ts';
import { spacedJson } from '../models.ts';
import { completionOf, known, placeOf, type Rollout, resample, setSampled } from '../rollout.ts';
import { type Fault, followedTurn, type Injected, QWENS, someTurn, turnOf, want } from './fault.ts';

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

/** What the next prompt makes of what was sampled. */
export const HISTORY_FAULTS: readonly Fault[] = [
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
