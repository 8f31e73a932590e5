import type { CallNotes, TurnNotes } from '../../../model/tools-watch.ts';
import { around } from '../around.ts';
import { differences } from '../compare/differences.ts';
import { isSameTold, toldArguments, valueOfTold } from '../compare/told-arguments.ts';
import { addFound, type FoundList } from '../found-list.ts';
import { scanWholeJson } from '../parse/scan-json.ts';
import { isStrictObject, type StrictObject, type StrictValue } from '../parse/strict-value.ts';
import { addChanges } from './add-changes.ts';
import type { ListedCall, TurnFacts } from './begin-turn.ts';
import { callLabel } from './call-label.ts';
import { createNoteRoom, MOST_NOTED, type NoteRoom, noteCall } from './note-call.ts';

/** A turn without its text: the arguments that the source says the model wrote are the record. */
export function beginFromList({ turn, listed, offered, isCut }: TurnFacts, list: FoundList): TurnNotes {
  const calls: CallNotes[] = [];
  const room = createNoteRoom();
  for (const [i, call] of listed.entries()) {
    const notes = judge(call, { turn, offered, isCut, isLast: i === listed.length - 1, room }, list);
    if (calls.length < MOST_NOTED) calls.push(notes);
  }
  return {
    turn,
    hasText: false,
    isUnlisted: false,
    isUntyped: false,
    isCut,
    thinkUnclosed: false,
    calls,
    results: 0,
    told: false,
  };
}

interface Context {
  readonly turn: number;
  readonly offered: readonly string[] | null;
  readonly isCut: boolean | null;
  readonly isLast: boolean;
  readonly room: NoteRoom;
}

function judge(call: ListedCall, { turn, offered, isCut, isLast, room }: Context, list: FoundList): CallNotes {
  const label = callLabel(call.callId, call.name);
  const raw = readRaw(call.raw);
  const fault = raw.fault ?? (call.status === 'malformed' ? 'as the loop says' : null);
  const shown = call.raw === null || fault === null ? null : around(call.raw, raw.at);
  // Only what is not closed can have been cut, and only the last one.
  const isOpen = isLast && isCut !== false && (raw.fault?.startsWith('unclosed') ?? false);
  const add = (name: string, severity: 'fail' | 'warn', what: string) =>
    addFound(list, { class: name, severity, turn, index: null }, () => ({
      detail: `${label}: ${what}`,
      ...(shown === null ? {} : { evidence: { text: shown } }),
    }));
  if (fault !== null && isOpen && isCut === true) add('truncated', 'warn', 'the sampler was stopped in its arguments');
  else if (fault !== null && !isOpen)
    add('malformed', 'warn', `malformed: ${fault}${raw.fault === null ? '' : ` at character ${raw.at}`}`);
  const isOffered = call.name === null || offered === null || offered.includes(call.name);
  const isUnknownTool = call.status === 'unknown_tool' || !isOffered;
  if (isUnknownTool) add('unknown_tool', 'warn', 'no tool of that name was offered');
  if (call.status === 'repaired' && raw.fault === null)
    addFound(list, { class: 'silent_repair', severity: 'fail', turn, index: null }, () => ({
      detail: `${label}: the loop says that it repaired the call`,
      evidence: {
        ...(call.parsed === null ? {} : { text: around(call.parsed, 0) }),
        ...(call.raw === null ? {} : { expectedText: around(call.raw, 0) }),
      },
    }));
  const loop = call.parsed === null ? null : toldArguments(call.parsed, false);
  const own = fault !== null || raw.value === null || call.raw === null ? null : toldArguments(call.raw, false, true);
  const isSame = raw.value === null || loop === null || isSameTold(own, loop);
  const changes = isSame ? [] : differences(raw.value, valueOfTold(loop), false);
  const where = "in the loop's list";
  addChanges(list, { turn, at: null, call: label, where, lossClass: 'args_lost' }, changes);
  return noteCall(
    {
      name: call.name,
      at: null,
      fault,
      isOpen,
      shown,
      isDraft: call.status === 'in_think',
      isUnknownTool,
      isChanged: changes.length > 0,
      value: fault === null ? raw.value : null,
      own,
      seen: raw.seen,
      listed: call,
      loop,
    },
    room,
  );
}

interface ReadRaw {
  readonly value: StrictObject | null;
  readonly seen: StrictValue;
  readonly fault: string | null;
  readonly at: number;
}

function readRaw(raw: string | null): ReadRaw {
  if (raw === null) return { value: null, seen: null, fault: null, at: 0 };
  const scan = scanWholeJson(raw);
  if (scan.kind === 'fault') return { value: null, seen: scan.seen ?? null, fault: scan.fault, at: scan.at };
  if (isStrictObject(scan.value)) return { value: scan.value, seen: scan.value, fault: null, at: 0 };
  return { value: null, seen: scan.value, fault: 'wrong_type', at: 0 };
}
