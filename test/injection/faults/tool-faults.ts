import { callOf } from '../clean-trajectory.ts';
import { completionOf, known, resample, setSampled } from '../rollout.ts';
import { argumentsOf, CALLING, follow, OPEN, refuse, setResult, settle, someCall, tools } from './calls.ts';
import { type Fault, QWENS, turnOf } from './fault.ts';

/** One that ran in another way than it was written. */
function changed(
  name: string,
  title: string,
  change: (args: Record<string, unknown>) => Record<string, unknown>,
  isInList = false,
): Fault {
  return {
    ...CALLING,
    name: title,
    inject(rollout, random) {
      const place = someCall(rollout, random);
      const json = JSON.stringify(change(argumentsOf(place.call)));
      setResult(place, { executed_arguments: json });
      if (isInList) place.call.listed = { ...known(place.call.listed), arguments_parsed: json };
      return tools(name, place.k, settle(rollout, place));
    },
  };
}

/** Calls that are well formed, and what became of them. */
export const TOOL_FAULTS: readonly Fault[] = [
  changed('args_lost', 'an argument that did not run is lost, at the call', ({ limit: _, ...rest }) => rest),
  changed('argument_coerced', 'a number that ran as a text is coerced, at the call (case 67)', (args) => ({
    ...args,
    limit: String(args.limit),
  })),
  changed('silent_repair', 'another value that ran is told at the call', (args) => ({
    ...args,
    limit: Number(args.limit) + 1,
  })),
  changed('coerced', 'an argument that ran and that nobody wrote is told at the call', (args) => ({
    ...args,
    force: true,
  })),
  changed(
    'parser_loss',
    'an argument that the parser dropped is its loss, at the call (case 66)',
    ({ query: _, ...rest }) => rest,
    true,
  ),
  changed(
    'argument_coerced',
    'a text that the parser made of a number is told at the call (case 67)',
    (args) => ({ ...args, limit: `${args.limit}` }),
    true,
  ),
  {
    ...CALLING,
    name: 'a well-formed call that the parser dropped is its loss, at the call (case 66)',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      place.call.listed = null;
      place.call.results = [];
      return tools('parser_loss', place.k, settle(rollout, place));
    },
  },
  {
    ...CALLING,
    models: ['qwen3'],
    wishes: { ...CALLING.wishes, thinks: true },
    name: 'a draft within a thought that ran is told at the draft (case 47)',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      const turn = turnOf(rollout, place.k);
      const draft = callOf(random, {
        turn: place.k,
        index: 7,
        name: 'search',
        args: { query: 'a draft' },
        output: 'none',
      });
      draft.results = draft.results.map(({ result }) => ({ result, span: known(place.call.results[0]).span }));
      turn.thought = `let me see ${OPEN}\n${draft.written}\n</tool_call> or so`;
      draft.written = null;
      turn.calls = [draft, ...turn.calls];
      settle(rollout, place);
      return tools('think_call_executed', place.k, completionOf(turn).text.indexOf(OPEN));
    },
  },
  {
    ...CALLING,
    name: 'a call of a tool that was not offered is told at the call (case 65)',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      place.call.written = known(place.call.written).replace(/"name": ?"\w+"/, '"name": "teleport"');
      refuse(place, 'unknown_tool', 'teleport', 'Error: there is no tool teleport');
      return tools('unknown_tool', place.k, settle(rollout, place));
    },
  },
  {
    ...CALLING,
    name: 'a call that ran and that the text does not have is told with its turn',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      const extra = callOf(random, { turn: place.k, index: 7, name: 'calc', args: { x: 1 }, output: '1' });
      extra.results = extra.results.map(({ result }) => ({ result, span: known(place.call.results[0]).span }));
      extra.written = null;
      if (random.chance(0.5)) extra.listed = null;
      turnOf(rollout, place.k).calls.push(extra);
      return tools('executed_without_call', place.k, null);
    },
  },
  {
    ...CALLING,
    name: 'a call that no result came for is told with its turn',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      place.call.results = [];
      settle(rollout, place);
      const isPartly = turnOf(rollout, place.k).calls.length > 1;
      return {
        ...tools('unanswered_call', place.k, null),
        follows: isPartly ? [follow('call_not_executed', place.k, null, 'others of its turn were executed')] : [],
      };
    },
  },
  {
    ...CALLING,
    name: 'a result that came twice is told at the call (case 69)',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      place.call.results.push({ ...known(place.call.results[0]) });
      return tools('duplicate_tool_event', place.k, settle(rollout, place));
    },
  },
  {
    ...CALLING,
    name: 'a call that ran once more with other arguments is told at the call',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      const [first] = place.call.results;
      const again = { ...known(first).result, executed_arguments: '{"other": 1}' };
      place.call.results.push({ ...known(first), result: again });
      return tools('executed_without_call', place.k, settle(rollout, place));
    },
  },
  {
    models: QWENS,
    wishes: { calls: true },
    name: 'a call that the limit of length cut off is truncated, at the call (case 55)',
    inject(rollout) {
      const k = rollout.turns.length - 1;
      const turn = turnOf(rollout, k);
      turn.calls = [
        {
          ...{ listed: null, results: [], isUnclosed: true },
          written: '{"name": "run", "arguments": {"command": "mkdir -p test/{a,b"',
        },
      ];
      turn.finish = 'length';
      resample(rollout, turn, false);
      rollout.end = { reasons: [{ raw: 'max_tokens_reached', system: 'strands-env' }] };
      return tools('truncated', k, known(completionOf(turn).callStarts[0]));
    },
  },
  {
    ...CALLING,
    name: 'a sandbox that failed is the environment’s error, with the turn of its call',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      setResult(place, { status: 'sandbox_error', output: Buffer.from('the container is gone') });
      settle(rollout, place);
      return tools('environment_error', place.k, null);
    },
  },
  {
    models: QWENS,
    wishes: { least: 4, calls: true },
    name: 'one error for whatever was asked is the environment’s, with the turn of the first (case 70)',
    inject(rollout) {
      for (const [k, { calls }] of rollout.turns.entries()) {
        for (const [j, call] of calls.entries()) {
          setResult({ k, j, call }, { output: Buffer.from('UnknownError') });
          settle(rollout, { k, j, call });
        }
      }
      return tools('environment_error', 0, null);
    },
  },
  {
    models: ['qwen3'],
    wishes: { calls: true, thinks: true },
    name: 'a thought that is never closed is told with its turn, and nothing in it is a call (case 51)',
    inject(rollout) {
      const { model } = rollout;
      const k = rollout.turns.length - 1;
      const text = `<think>\nplan… ${OPEN}{"name":"run","arguments":{}}</tool_call>`;
      setSampled(turnOf(rollout, k), [...model.encode(text), model.endId], null);
      return tools('think_unclosed', k, null);
    },
  },
];
