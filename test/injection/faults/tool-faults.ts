import type { ToolResultInit } from '../../../schemas/generated/step-event.ts';
import type { Random } from '../../../src/simulate/random.ts';
import { callOf } from '../clean-trajectory.ts';
import {
  CALL,
  completionOf,
  known,
  type Rollout,
  reprompt,
  resample,
  setSampled,
  type WrittenCall,
} from '../rollout.ts';
import { type Fault, type Injected, QWENS, someTurn, turnOf, type Want, want } from './fault.ts';
import { MALFORMED_CALLS, type MalformedCall } from './malformed-calls.ts';

const CALLING = { models: QWENS, wishes: { least: 2, calls: true } } as const;
const OPEN = '<tool_call>';

interface Place {
  readonly k: number;
  readonly j: number;
  readonly call: WrittenCall;
}

/** A call of chance; `isLast`: the last of its turn. */
function someCall(rollout: Rollout, random: Random, isLast = false): Place {
  const k = someTurn(rollout, random, ({ calls }) => calls.length > 0);
  const { calls } = turnOf(rollout, k);
  const j = isLast ? calls.length - 1 : random.whole(0, calls.length - 1);
  return { k, j, call: known(calls[j]) };
}

function argumentsOf({ listed }: WrittenCall): Record<string, unknown> {
  return JSON.parse(known(listed?.arguments_parsed));
}

function setResult({ call }: Place, result: Partial<ToolResultInit>): void {
  const [first] = call.results;
  if (first !== undefined) first.result = { ...first.result, ...result };
}

/** Samples the turn as it is now, and shows the model what came of it; answers where the call begins in the text. */
function settle(rollout: Rollout, { k, j }: Place): number {
  const turn = turnOf(rollout, k);
  resample(rollout, turn);
  const shown = turn.calls.flatMap(({ results, written }) => (written === null ? [] : results.slice(0, 1)));
  const next = turnOf(rollout, k + 1);
  next.messages =
    shown.length === 0
      ? [{ role: 'user', content: 'Go on.' }]
      : shown.map(({ result }) => ({ role: 'tool', content: String(result.output ?? '') }));
  reprompt(rollout, next, false);
  return known(completionOf(turn).callStarts[j]);
}

function tools(name: string, turn: number, index: number | null): Injected {
  return { found: [want('tools', name, turn, index)] };
}

function follow(name: string, turn: number, index: number | null, why: string): Want & { readonly why: string } {
  return { ...want('tools', name, turn, index), why };
}

/** The policy writes a call that is none; answers where it begins, and where its fault is. */
function writeMalformed(rollout: Rollout, place: Place, kind: MalformedCall): { at: number; faultAt: number } {
  const { call } = place;
  call.written = kind.written;
  call.isUnclosed = kind.isUnclosed === true;
  const at = settle(rollout, place);
  const body = at + CALL.length;
  if (kind.mark !== null) return { at, faultAt: body + kind.written.indexOf(kind.mark) };
  if (kind.isAtStart === true) return { at, faultAt: at + OPEN.length };
  return { at, faultAt: body + kind.written.length + (kind.isUnclosed === true ? 0 : 1) };
}

/** What the loop made of it, and what ran. */
function executeAs({ call }: Place, name: string, args: Readonly<Record<string, unknown>>, random: Random): void {
  const json = JSON.stringify(args);
  call.listed = {
    ...known(call.listed),
    ...{ name, arguments_raw: null, arguments_parsed: json, parse_status: random.pick(['ok', 'repaired', 'unknown']) },
  };
  for (const own of call.results)
    own.result = { ...own.result, name, executed_arguments: json, output: Buffer.from('3 files, all well') };
}

const NOT_TOLD = 'the model is not shown that its call was malformed';
const WAS_MALFORMED = 'the call that was repaired is malformed';

const REPAIRS: readonly Fault[] = MALFORMED_CALLS.map((kind) => ({
  ...CALLING,
  name: `a call that is malformed by ${kind.kind} and ran all the same is a silent repair, at the call`,
  inject(rollout, random) {
    const place = someCall(rollout, random, kind.isLast);
    executeAs(place, kind.name, kind.repaired, random);
    const { at, faultAt } = writeMalformed(rollout, place, kind);
    return {
      ...tools('silent_repair', place.k, at),
      follows: [
        follow('malformed', place.k, faultAt, WAS_MALFORMED),
        follow('malformed_not_fed_back', place.k, at, NOT_TOLD),
      ],
    };
  },
}));

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

const COMMA = known(MALFORMED_CALLS[0]);

export const TOOL_FAULTS: readonly Fault[] = [
  ...REPAIRS,
  {
    ...CALLING,
    name: 'a malformed call that ran without its arguments lost them, at the call (cases 54, 58)',
    inject(rollout, random) {
      const place = someCall(rollout, random);
      executeAs(place, 'run', {}, random);
      const { at, faultAt } = writeMalformed(rollout, place, COMMA);
      return {
        ...tools('args_lost', place.k, at),
        follows: [
          follow('malformed', place.k, faultAt, WAS_MALFORMED),
          follow('malformed_not_fed_back', place.k, at, NOT_TOLD),
        ],
      };
    },
  },
  {
    ...CALLING,
    name: 'a malformed call of which the model is told is the policy’s own, at its fault (case 62)',
    inject(rollout, random) {
      const kind = random.pick(MALFORMED_CALLS.filter(({ isLast }) => isLast !== true));
      const place = someCall(rollout, random);
      refuse(place, 'malformed', kind.name, 'Error: the arguments are no valid JSON');
      return tools('malformed', place.k, writeMalformed(rollout, place, kind).faultAt);
    },
  },
  {
    ...CALLING,
    name: 'a malformed call that nobody tells the model of is not fed back, at the call (case 62)',
    inject(rollout, random) {
      const kind = random.pick(MALFORMED_CALLS.filter(({ isLast }) => isLast !== true));
      const place = someCall(rollout, random);
      refuse(place, 'malformed', kind.name, '');
      const { at, faultAt } = writeMalformed(rollout, place, kind);
      return {
        ...tools('malformed_not_fed_back', place.k, at),
        follows: [follow('malformed', place.k, faultAt, 'it is malformed')],
      };
    },
  },
  changed('args_lost', 'an argument that did not run is lost, at the call', ({ limit: _, ...rest }) => rest),
  changed('argument_coerced', 'a number that ran as a text is coerced, at the call (case 67)', (args) => ({
    ...args,
    limit: String(args.limit),
  })),
  changed('coerced', 'another value that ran is told at the call', (args) => ({
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

/** The loop does not run it, and says so or does not. */
function refuse({ call }: Place, status: 'malformed' | 'unknown_tool', name: string, output: string): void {
  const unread = { name, arguments_raw: null, arguments_parsed: null };
  call.listed = { ...known(call.listed), ...unread, parse_status: status };
  const refused = { name, executed_arguments: null, status: 'not_executed' as const, output: Buffer.from(output) };
  for (const own of call.results) own.result = { ...own.result, ...refused };
}

/** Where nobody kept the text, the lane has only the loop's list, and says no place; with a tokenizer there is one. */
export function withoutText(injected: Injected): Injected {
  const { found, follows = [], may = [] } = injected;
  const isTold = ({ class: name }: Want) => name !== 'malformed_not_fed_back';
  const placeless = ({ class: name }: Want) => name === 'unknown_tool';
  const loose = [...found, ...follows].flatMap((one) => [
    { ...one, when: 'the lane has no text' },
    { ...one, index: null, when: 'the lane has no text' },
  ]);
  return {
    ...injected,
    found: found.filter(isTold).map((one) => (placeless(one) ? { ...one, index: null } : one)),
    follows: follows.filter(isTold),
    may: [
      ...may,
      ...loose,
      ...found
        .filter(({ audit }) => audit === 'tools')
        .map(({ turn }) => ({ ...want('tools', 'silent_repair', turn, null), when: 'the loop says so itself' })),
    ],
  };
}
