import type { TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

/** A think block is closed once, and what follows an empty one does not close another. */
export function checkThink(view: SegmentView): void {
  const { think } = view.rules;
  if (think === null) return;
  for (const turn of view.turns) {
    if (turn.role !== 'assistant') continue;
    checkTurn(view, turn, think.openId, think.closeId);
  }
}

function checkTurn(view: SegmentView, turn: TurnSpan, openId: number, closeId: number): void {
  const { ids, report } = view;
  const begins = ids.subarray(turn.bodyStart, turn.end);
  let isOpen = false;
  let closes = 0;
  let emptyAt = -1;
  let openedAt = -1;
  for (let i = 0; i < begins.length; i++) {
    const at = turn.bodyStart + i;
    if (begins[i] === openId) {
      isOpen = true;
      openedAt = at;
    } else if (begins[i] === closeId) {
      if (isOpen) {
        if (closes === 0 && at - openedAt <= 3 && view.text(openedAt + 1, at).trim() === '') emptyAt = openedAt;
        isOpen = false;
        closes += 1;
        continue;
      }
      const isSampled = view.ranges.some(({ sampledStart, end }) => at >= sampledStart && at < end);
      if (emptyAt !== -1 && !isSampled)
        report({
          // The history may share its beginning with what was sampled.
          ...{ class: 'think_rewrapped', severity: 'fail', index: Math.max(emptyAt, view.ownFrom) },
          detail: 'an empty think block was put before a thought, whose own end stands without a beginning',
        });
      else
        report({
          ...{ class: 'orphan_think_close', severity: isSampled ? 'warn' : 'fail', index: at },
          detail: 'a think block ends that did not begin in its turn',
        });
      return;
    }
  }
}
