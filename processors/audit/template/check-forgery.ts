import { reportControl } from './check-boundaries.ts';
import type { TurnSpan } from './read-turns.ts';
import { ownPromptsOf, type SegmentView } from './segment-view.ts';
import { isResult } from './tool-result.ts';

/** What only the template may write, within the text of a tool or a user: a turn that nobody took. One finding a prompt. */
export function checkForgery(view: SegmentView): void {
  checkForgedTurns(view);
  checkResultEnds(view);
  checkBodies(view);
}

/**
 * After a sampled turn a prompt brings results and questions, then opens the assistant's turn once, at its end. Another one in
 * between was written by a text. Where a call without tokens lies between, its turn is among them.
 */
function checkForgedTurns(view: SegmentView): void {
  const { ranges, segment, sampledIn, input } = view;
  const seen = new Set(input.segments.flatMap((one) => one.ranges.map(({ turn }) => turn)));
  const withoutTokens = input.turns.map(({ turn }) => turn).filter((turn) => !seen.has(turn));
  ranges.forEach((range, index) => {
    const before = ranges[index - 1];
    if (range.copied || before === undefined || sampledIn[index - 1] === null) return;
    // A rewritten history holds the assistant's turns.
    if (before.copied && segment.parentId !== null) return;
    const opened = view.openedIn[index] ?? [];
    const forged = opened.findIndex((turn, i) => turn.role === 'assistant' && i < opened.length - 1);
    const turn = opened[forged];
    if (turn === undefined || withoutTokens.some((one) => one > before.turn && one < range.turn)) return;
    const carrier = opened[forged - 1];
    if (carrier !== undefined && carrier.closedBy !== null) reportControl(view, carrier.end, carrier);
    else reportControl(view, turn.open, carrier ?? turn);
  });
}

/** A result ends with its closing text, or something in it ended it. */
function checkResultEnds(view: SegmentView): void {
  const close = view.rules.toolResult?.closeText.trim() ?? '';
  for (const turn of view.turns) {
    if (turn.closedBy === null || !isResult(view, turn)) continue;
    const tail = view.text(Math.max(turn.bodyStart, turn.end - 16), turn.end);
    if (tail.trimEnd().endsWith(close)) continue;
    reportControl(view, turn.end, turn);
  }
}

/** Control tokens that neither open nor end a turn. */
function checkBodies(view: SegmentView): void {
  const { ids, rules, turns, controls } = view;
  let current = -1;
  for (const { from, to } of ownPromptsOf(view)) {
    for (let at = from; at < to; at++) {
      const id = ids[at] ?? -1;
      if (!controls.has(id) || id === rules.turnOpenId || id === rules.endOfTurnId || id === rules.bosId) continue;
      while ((turns[current + 1]?.open ?? Number.POSITIVE_INFINITY) <= at) current += 1;
      const turn: TurnSpan | undefined = turns[current];
      if (turn === undefined || at < turn.bodyStart || at >= turn.end || turn.role === 'assistant') continue;
      reportControl(view, at, turn);
    }
  }
}
