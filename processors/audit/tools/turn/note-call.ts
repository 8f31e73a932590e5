import type { CallNotes, ToldArguments } from '../../../model/tools-watch.ts';
import { detached } from '../around.ts';
import { hashOfText } from '../compare/hash-of-text.ts';
import { isSameTold, keptTold, keysOf } from '../compare/told-arguments.ts';
import type { StrictObject, StrictValue } from '../parse/strict-value.ts';
import type { ListedCall } from './begin-turn.ts';

/** Calls of one turn that are followed to their results. */
export const MOST_NOTED = 32;
/** Of all texts of a turn; what does not fit is kept as a hash: an attempt's notes must be small. */
const MOST_CHARACTERS = 1_024;
const MOST_NAME = 100;

/** A name or an id as it is noted. Some ids carry kilobytes, and differ only at their end. */
export function notedName(name: string): string {
  return name.length <= MOST_NAME ? name : `${name.slice(0, MOST_NAME)}…${hashOfText(name)}`;
}

/** Characters that the notes of a turn may still take. */
export interface NoteRoom {
  left: number;
}

export function createNoteRoom(): NoteRoom {
  return { left: MOST_CHARACTERS };
}

export interface NotedCall {
  readonly name: string | null;
  readonly at: number | null;
  readonly fault: string | null;
  readonly isOpen: boolean;
  readonly shown: string | (() => string) | null;
  readonly isDraft: boolean;
  readonly isUnknownTool: boolean;
  readonly isChanged: boolean;
  /** Arguments, the same as a text, and what can be seen of those of a call at fault. */
  readonly value: StrictObject | null;
  readonly own: ToldArguments | null;
  readonly seen: StrictValue;
  readonly listed: ListedCall | null;
  readonly loop: ToldArguments | null;
}

/** What has to be kept of a call until its result comes. */
export function noteCall(call: NotedCall, room: NoteRoom): CallNotes {
  const { value, own, listed, loop } = call;
  const name = call.name ?? listed?.name ?? null;
  const shown = typeof call.shown === 'function' ? call.shown() : call.shown;
  const isShown = shown !== null && hasRoom(room, shown);
  // What is executed is spelled as the loop's list spells it; without types, the list's are not what was written.
  const isSame = own !== null && loop !== null && isSameTold(own, loop);
  if (isSame) loop.isJson = true;
  const first = isSame && !own.isUntyped ? loop : own;
  const written = first === null ? null : keptTold(first, hasRoom(room, first.text));
  return {
    callId: listed === null ? null : detached(notedName(listed.callId)),
    name: name === null ? null : detached(notedName(name)),
    at: call.at,
    fault: call.fault,
    isOpen: call.isOpen,
    shown: isShown ? detached(shown) : null,
    isDraft: call.isDraft,
    isUnknownTool: call.isUnknownTool,
    keys: keysOf(value ?? call.seen),
    written,
    parsed: loop === null ? null : isSame ? written : keptTold(loop, hasRoom(room, loop.text)),
    isChanged: call.isChanged,
    isRecorded: call.at !== null || (listed !== null && listed.raw !== null),
    isFollowed: loop !== null,
    results: 0,
    executed: null,
    told: false,
  };
}

function hasRoom(room: NoteRoom, text: string | null): boolean {
  if (text === null || text.length > room.left) return false;
  room.left -= text.length;
  return true;
}
