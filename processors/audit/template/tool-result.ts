import type { TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

/** `<tool_response>` is up to six tokens where it is none of its own. */
const MARK_TOKENS = 16;

/** Its body begins as a tool result does. */
export function isResult(view: SegmentView, turn: TurnSpan): boolean {
  const format = view.rules.toolResult;
  if (format === null || turn.role !== format.role) return false;
  if (format.openText === '') return true;
  const to = Math.min(turn.end, turn.bodyStart + MARK_TOKENS);
  return view.text(turn.bodyStart, to).trimStart().startsWith(format.openText.trim());
}
