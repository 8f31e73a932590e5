import type { TurnNotes } from '../../../model/tools-watch.ts';

/** What is not in the record, so that the calls of a turn prove nothing; null: nothing. */
export function lackOf({ hasText, calls }: TurnNotes): string | null {
  if (hasText) return null;
  if (calls.some(({ isRecorded }) => !isRecorded)) return 'raw text of tool calls, and raw arguments';
  return calls.every(({ isFollowed }) => isFollowed)
    ? null
    : 'raw text of tool calls, and arguments as they were executed';
}
