import type { ToolStatus } from '../../../../schemas/generated/step-event.ts';
import type { CallNotes, ToldArguments, TurnNotes } from '../../../model/tools-watch.ts';
import { around } from '../around.ts';
import { differences } from '../compare/differences.ts';
import {
  canonicalOfTold,
  isSameTold,
  keptTold,
  keysOfTold,
  toldArguments,
  valueOfTold,
} from '../compare/told-arguments.ts';
import { addFound, type FoundList } from '../found-list.ts';
import { addChanges } from './add-changes.ts';
import { callLabel } from './call-label.ts';
import { tellsOfCall, tellsOfError } from './error-words.ts';
import { MOST_NOTED, notedName } from './note-call.ts';

/** What a tool result says. */
export interface ResultFacts {
  readonly callId: string;
  readonly name: string | null;
  /** Arguments as they were executed, JSON text; null: the source does not say. */
  readonly executed: string | null;
  readonly status: ToolStatus;
  /** What the model was shown; null: it is not in the record. */
  readonly output: string | null;
}

/** What a result says of the call that it answers. Notes in `notes` what came. */
export function judgeResult(notes: TurnNotes, result: ResultFacts, list: FoundList): void {
  notes.results += 1;
  const told = notes.calls.some(({ fault }) => fault !== null) && tells(result);
  const loop = result.executed === null ? null : toldArguments(result.executed, notes.isUntyped);
  const call = callOf(notes, result, loop);
  if (call === null || call.callId === null) notes.told ||= told;
  const label = callLabel(result.callId, call?.name ?? result.name);
  const executed = loop ?? call?.parsed ?? null;
  const add = (name: string, severity: 'fail' | 'warn', what: string, expectedText: string | null = null) =>
    addFound(list, { class: name, severity, turn: notes.turn, index: call?.at ?? null }, () => {
      const ran = executed === null ? null : canonicalOfTold(executed);
      const evidence = {
        ...(ran === null ? {} : { text: around(ran, 0) }),
        ...(expectedText === null ? {} : { expectedText }),
      };
      return { detail: `${label}: ${what}`, evidence };
    });
  if (call === null) {
    if (notes.calls.length >= MOST_NOTED) {
      notes.isBeyond = true;
      return;
    }
    const where = notes.hasText ? 'the text' : "the loop's list";
    if (hasRun(result))
      add('executed_without_call', notes.hasText ? 'fail' : 'warn', `was executed, and ${where} has no such call`);
    return;
  }
  call.results += 1;
  if (call.results > 1) {
    if (isSameTold(executed, call.executed)) add('duplicate_tool_event', 'warn', 'was answered twice');
    else add('executed_without_call', 'fail', 'was executed once more, with other arguments');
    return;
  }
  call.told ||= told;
  call.executed = keptExecuted(call, executed);
  if (loop !== null) call.isFollowed = true;
  if (!hasRun(result)) return;
  if (call.isDraft) {
    // What the loop's list has of a thought was told when it was seen.
    if (call.callId === null || !notes.hasText)
      add('think_call_executed', 'fail', 'written in a thought, and executed');
  } else if (call.fault !== null) {
    const keys = executed === null ? null : keysOfTold(executed);
    const isLost = keys !== null && keys < call.keys;
    const what = call.isOpen ? 'is cut off in the middle' : `is malformed (${call.fault})`;
    const how = isLost ? `with ${keys} of the ${call.keys} arguments that stand in the text` : 'as if it were not';
    add(isLost ? 'args_lost' : 'silent_repair', 'fail', `${what}, and was executed ${how}`, call.shown);
  } else if (isAnotherTool(call.name, result.name))
    add('silent_repair', 'fail', `another tool ran than was called: ${result.name}`);
  else if (loop !== null) addChanged(notes, call, { label, loop }, list, add);
}

/** Arguments that ran are not those that were written or, where nobody knows what was written, those of the loop's list. */
function addChanged(
  notes: TurnNotes,
  call: CallNotes,
  { label, loop }: { readonly label: string; readonly loop: ToldArguments },
  list: FoundList,
  add: (name: string, severity: 'fail' | 'warn', what: string) => void,
): void {
  const from = call.written ?? call.parsed;
  // What the loop's list changed was told when it was seen.
  if (from === null || isSameTold(from, loop) || isSameTold(call.parsed, loop)) return;
  if (from.text !== null) {
    const about = { turn: notes.turn, at: call.at, call: label, where: 'as executed', lossClass: 'args_lost' } as const;
    addChanges(list, about, differences(valueOfTold(from), valueOfTold(loop), notes.isUntyped));
    return;
  }
  const isLost = keysOfTold(loop) < keysOfTold(from);
  const what = isLost ? 'fewer arguments were executed' : 'other arguments were executed';
  add(isLost ? 'args_lost' : 'coerced', isLost ? 'fail' : 'warn', `${what} than were written`);
}

/** Of names in a namespace the last part counts: `calculator` may run as `mcp__math__calculator` or `functions.calculator`. */
function isAnotherTool(written: string | null, ran: string | null): boolean {
  if (written === null || ran === null || ran === '') return false;
  const [a, b] = [notedName(written), notedName(ran)].map((name) => name.toLowerCase());
  return a !== undefined && b !== undefined && !endsWithName(a, b) && !endsWithName(b, a);
}

function endsWithName(whole: string, part: string): boolean {
  if (!whole.endsWith(part)) return false;
  const before = whole.at(-part.length - 1);
  return whole.length === part.length || (before !== undefined && /[^a-z0-9]/.test(before));
}

/** It ran; a result of another status says so by the arguments that it names. */
function hasRun({ status, executed }: ResultFacts): boolean {
  if (status === 'ok' || status === 'timeout') return true;
  return status !== 'not_executed' && executed !== null;
}

/** The model is shown that something is wrong with its call. */
function tells({ status, output }: ResultFacts): boolean {
  if (output === null || output === '') return false;
  if (status === 'tool_error' || status === 'not_executed') return true;
  return status === 'ok' ? tellsOfCall(output) : tellsOfError(output);
}

/** By its id; else, where the loop's list lacks it, by what it says. */
function callOf({ calls }: TurnNotes, result: ResultFacts, loop: ToldArguments | null): CallNotes | null {
  const callId = notedName(result.callId);
  const name = result.name === null ? null : notedName(result.name);
  const own = calls.filter((call) => call.callId === callId);
  if (own.length > 0) return own.find(({ results }) => results === 0) ?? own.at(-1) ?? null;
  const free = calls.filter((call) => call.callId === null && call.results === 0);
  const named = free.filter((call) => name !== null && call.name === name);
  const same = named.filter((call) => loop !== null && isSameTold(call.written, loop));
  const real = named.find(({ isDraft }) => !isDraft);
  return same.find(({ isDraft }) => !isDraft) ?? same[0] ?? real ?? named[0] ?? null;
}

/** Nearly always it is what the notes of the call have anyway. */
function keptExecuted({ written, parsed }: CallNotes, executed: ToldArguments | null): ToldArguments | null {
  if (executed === null || isSameTold(parsed, executed)) return parsed;
  return isSameTold(written, executed) ? written : keptTold(executed, false);
}
