import type { CallNotes } from '../../../model/tools-watch.ts';
import { detached } from '../around.ts';
import { hashOfText } from '../compare/hash-of-text.ts';
import { keysOf, type LoopArguments } from '../compare/read-arguments.ts';
import type { StrictObject, StrictValue } from '../parse/strict-value.ts';
import type { ListedCall } from './begin-turn.ts';

/** Calls of one turn that are followed to their results. */
export const MOST_NOTED = 32;
/** Of all texts of a turn; what does not fit is kept as a hash: an attempt's notes must be small. */
const MOST_CHARACTERS = 1_024;
const MOST_NAME = 100;

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
  /** Arguments, the same as one text, and what can be seen of those of a call at fault. */
  readonly value: StrictObject | null;
  readonly text: string | null;
  readonly seen: StrictValue;
  readonly listed: ListedCall | null;
  readonly loop: LoopArguments | null;
}

/** What has to be kept of a call until its result comes. */
export function noteCall(call: NotedCall, room: NoteRoom): CallNotes {
  const { value, text, listed, loop } = call;
  const name = call.name ?? listed?.name ?? null;
  const keep = (kept: string | null): string | null => {
    if (kept === null || kept.length > room.left) return null;
    room.left -= kept.length;
    return detached(kept);
  };
  const writtenHash = text === null ? null : text === loop?.text ? loop.hash : hashOfText(text);
  return {
    callId: listed === null ? null : detached(listed.callId.slice(0, MOST_NAME)),
    name: name === null ? null : detached(name.slice(0, MOST_NAME)),
    at: call.at,
    fault: call.fault,
    isOpen: call.isOpen,
    shown: keep(typeof call.shown === 'function' ? call.shown() : call.shown),
    isDraft: call.isDraft,
    isUnknownTool: call.isUnknownTool,
    keys: keysOf(value ?? call.seen),
    written: keep(text),
    writtenHash,
    parsed: loop === null || loop.hash === writtenHash ? null : keep(loop.text),
    parsedHash: loop?.hash ?? null,
    parsedKeys: loop?.keys ?? 0,
    isChanged: call.isChanged,
    isRecorded: call.at !== null || (listed !== null && listed.raw !== null),
    isFollowed: loop !== null,
    results: 0,
    executedHash: null,
    told: false,
  };
}
