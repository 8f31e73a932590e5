import type { TurnNotes } from '../../../model/tools-watch.ts';

/** What is not in the record, so that the calls of a turn prove nothing; null: nothing. */
export function lackOf({ hasText, calls, isBeyond }: TurnNotes): string | null {
  if (isBeyond) return `notes of more than ${calls.length} calls in one turn`;
  if (hasText) return null;
  if (calls.some(({ isRecorded }) => !isRecorded)) return 'no raw text of tool calls, and no raw arguments';
  return calls.every(({ isFollowed }) => isFollowed)
    ? null
    : 'no raw text of tool calls, and no arguments as they were executed';
}
