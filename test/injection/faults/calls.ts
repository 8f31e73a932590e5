import type { ToolResultInit } from '../../../schemas/generated/step-event.ts';
import type { Random } from '../../../src/simulate/random.ts';
import { CALL, completionOf, known, type Rollout, reprompt, resample, type WrittenCall } from '../rollout.ts';
import { type Injected, QWENS, someTurn, turnOf, type Want, want } from './fault.ts';
import type { MalformedCall } from './malformed-calls.ts';

export const CALLING = { models: QWENS, wishes: { least: 2, calls: true } } as const;
export const OPEN = '<tool_call>';

export interface Place {
  readonly k: number;
  readonly j: number;
  readonly call: WrittenCall;
}

/** A call of chance; `isLast`: the last of its turn. */
export function someCall(rollout: Rollout, random: Random, isLast = false): Place {
  const k = someTurn(rollout, random, ({ calls }) => calls.length > 0);
  const { calls } = turnOf(rollout, k);
  const j = isLast ? calls.length - 1 : random.whole(0, calls.length - 1);
  return { k, j, call: known(calls[j]) };
}

export function argumentsOf({ listed }: WrittenCall): Record<string, unknown> {
  return JSON.parse(known(listed?.arguments_parsed));
}

export function setResult({ call }: Place, result: Partial<ToolResultInit>): void {
  const [first] = call.results;
  if (first !== undefined) first.result = { ...first.result, ...result };
}

/** Samples the turn as it is now, and shows the model what came of it; answers where the call begins in the text. */
export function settle(rollout: Rollout, { k, j }: Place): number {
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

export function tools(name: string, turn: number, index: number | null): Injected {
  return { found: [want('tools', name, turn, index)] };
}

export function follow(name: string, turn: number, index: number | null, why: string): Want & { readonly why: string } {
  return { ...want('tools', name, turn, index), why };
}

/** The policy writes a call that is none; answers where it begins, and where its fault is. */
export function writeMalformed(rollout: Rollout, place: Place, kind: MalformedCall): { at: number; faultAt: number } {
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
export function executeAs(
  { call }: Place,
  name: string,
  args: Readonly<Record<string, unknown>>,
  random: Random,
): void {
  const json = JSON.stringify(args);
  call.listed = {
    ...known(call.listed),
    ...{ name, arguments_raw: null, arguments_parsed: json, parse_status: random.pick(['ok', 'repaired', 'unknown']) },
  };
  for (const own of call.results)
    own.result = { ...own.result, name, executed_arguments: json, output: Buffer.from('3 files, all well') };
}

export const NOT_TOLD = 'the model is not shown that its call was malformed';
export const WAS_MALFORMED = 'the call that was repaired is malformed';

/** The loop does not run it, and says so or does not. */
export function refuse({ call }: Place, status: 'malformed' | 'unknown_tool', name: string, output: string): void {
  const unread = { name, arguments_raw: null, arguments_parsed: null };
  call.listed = { ...known(call.listed), ...unread, parse_status: status };
  const refused = { name, executed_arguments: null, status: 'not_executed' as const, output: Buffer.from(output) };
  for (const own of call.results) own.result = { ...own.result, ...refused };
}
