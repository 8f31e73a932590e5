import { type JsonScan, scanJson } from './scan-json.ts';
import type { Block, CallFault, Dialect, StrictCall, TagSource } from './strict-call.ts';
import { isStrictObject, type StrictObject, type StrictValue } from './strict-value.ts';
import { commandCall, completeCall, faultAt, faultyReply } from './terminus-command.ts';

/**
 * `{"analysis": …, "plan": …, "commands": [{"keystrokes": …, "duration"?}], "task_complete"?}`, as Terminus-2 asks for it. Text
 * around the object is tolerated, as its prompt says; a second object is not. No part of a reply at fault is a call.
 */
export const TERMINUS_JSON: Dialect = {
  ...{ name: 'terminus_json', openers: [], isUntyped: false, isWholeText: true, isListless: true },
  read,
};

const REQUIRED = ['analysis', 'plan', 'commands'];

function read({ text }: TagSource, start: number, limit: number): Block {
  const at = text.indexOf('{', start);
  if (at === -1 || at >= limit) {
    const whole = { charStart: start, charEnd: limit };
    return { calls: [faultyReply(text, whole, faultAt('not_json', start), null)], end: limit };
  }
  const scan = scanJson(text, at, limit);
  if (scan.kind === 'fault') {
    const isOpen = scan.fault.startsWith('unclosed');
    const fault = faultAt(scan.fault, scan.at);
    return {
      calls: [faultyReply(text, { charStart: at, charEnd: limit }, fault, scan.seen ?? null, isOpen)],
      end: limit,
    };
  }
  const place = { charStart: at, charEnd: scan.end };
  const found = isStrictObject(scan.value) ? faultOf(scan.value, scan, at) : faultAt('wrong_type', at);
  const fault = found ?? secondReply(text, scan.end, limit);
  if (fault !== null || !isStrictObject(scan.value))
    return { calls: [faultyReply(text, place, fault ?? faultAt('wrong_type', at), scan.value)], end: limit };
  return { calls: callsOf(scan.value, scan, place), end: limit };
}

function faultOf(reply: StrictObject, { spans }: JsonScan, start: number): CallFault | null {
  const { entries } = reply;
  const placeOf = (key: string) => spans.get(key)?.[0] ?? start;
  if (REQUIRED.some((key) => !entries.has(key))) return faultAt('missing_field', start);
  const commands = entries.get('commands');
  const isFine = listOf(commands)?.every(isCommand) ?? false;
  if (!isFine) return faultAt('wrong_type', placeOf('commands'));
  const complete = entries.get('task_complete');
  const isFlag = complete === undefined || complete === null || typeof complete === 'boolean';
  return isFlag ? null : faultAt('wrong_type', placeOf('task_complete'));
}

function isCommand(value: StrictValue): boolean {
  if (!isStrictObject(value) || typeof value.entries.get('keystrokes') !== 'string') return false;
  const duration = value.entries.get('duration');
  return duration === undefined || (typeof duration === 'object' && duration?.kind === 'number');
}

function listOf(value: StrictValue | undefined): readonly StrictValue[] | null {
  return typeof value === 'object' && value !== null && value.kind === 'list' ? value.items : null;
}

/** Only the first object is read by the loop: what stands in another one is lost. */
function secondReply(text: string, from: number, limit: number): CallFault | null {
  const at = text.indexOf('{', from);
  if (at === -1 || at >= limit) return null;
  const scan = scanJson(text, at, limit);
  const value = scan.kind === 'ok' ? scan.value : scan.seen;
  return isStrictObject(value) && value.entries.has('commands') ? faultAt('extra_data', at) : null;
}

function callsOf(reply: StrictObject, { spans }: JsonScan, place: { charStart: number; charEnd: number }) {
  const span = spans.get('commands');
  const list = { charStart: span?.[0] ?? place.charStart, charEnd: span?.[1] ?? place.charEnd };
  const calls: StrictCall[] = [];
  for (const command of listOf(reply.entries.get('commands')) ?? [])
    if (isStrictObject(command)) calls.push(commandCall(list, command));
  if (reply.entries.get('task_complete') === true) calls.push(completeCall(place));
  return calls;
}
