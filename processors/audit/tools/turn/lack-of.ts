import type { TurnNotes } from '../../../model/tools-watch.ts';

/** What is not in the record, so that the calls of a turn prove nothing; null: nothing. */
export function lackOf({ hasText, isUnlisted, calls, isBeyond }: TurnNotes): string | null {
  if (isBeyond) return `notes of more than ${calls.length} calls in one turn`;
  // What was written is known, and of what can run nobody says that it did.
  const isUnknown =
    isUnlisted && calls.some(({ fault, isDraft, results }) => fault === null && !isDraft && results === 0);
  if (hasText && isUnknown) return 'no list of the calls that ran';
  if (hasText) return null;
  if (calls.some(({ isRecorded }) => !isRecorded)) return 'no raw text of tool calls, and no raw arguments';
  return calls.every(({ isFollowed }) => isFollowed)
    ? null
    : 'no raw text of tool calls, and no arguments as they were executed';
}
