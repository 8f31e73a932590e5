import type { TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

/** What a rewritten history left out of the turns that the policy wrote: the two sides are the parent's and the fork's. */
export function checkRewrites(parent: SegmentView, child: SegmentView): void {
  const { forkAt } = child.segment;
  if (forkAt === null) return;
  const before = parent.turns.filter(({ role }) => role === 'assistant');
  const after = child.turns.filter(({ role }) => role === 'assistant');
  before.forEach((written, i) => {
    const kept = after[i];
    if (kept === undefined || written.sampledAt === null || written.end <= forkAt) return;
    if (kept.closedBy === null || isNewlySampled(child, kept)) return;
    compareTurns(parent, written, child, kept);
  });
}

function isNewlySampled({ ranges }: SegmentView, { lastSampled }: TurnSpan): boolean {
  return lastSampled !== null && ranges[lastSampled]?.copied === false;
}

function compareTurns(parent: SegmentView, written: TurnSpan, child: SegmentView, kept: TurnSpan): void {
  const { think, toolCall } = child.rules;
  const [was, is] = [partsOf(parent, written), partsOf(child, kept)];
  const index = Math.max(kept.bodyStart, child.ownFrom);
  if (toolCall !== null && was.firstCall !== null && is.firstCall === null && is.text === was.textBeforeCall)
    child.report({
      ...{ class: 'tool_call_lost_in_history', severity: 'fail', index },
      detail: `the history holds the turn of segment ${parent.segment.id} that called a tool, without its call`,
      expectedIds: idsFrom(parent, was.firstCall),
    });
  else if (think !== null && was.hasThink && !is.hasThink && is.text === was.text)
    child.report({
      ...{ class: 'think_stripped', severity: 'warn', index },
      detail: `the history holds a turn of segment ${parent.segment.id} without its think block`,
      expectedIds: idsFrom(parent, written.bodyStart),
    });
}

interface Parts {
  readonly hasThink: boolean;
  /** Without the think block, without blanks around. */
  readonly text: string;
  readonly textBeforeCall: string;
  readonly firstCall: number | null;
}

function partsOf(view: SegmentView, { bodyStart, end }: TurnSpan): Parts {
  const { ids, rules } = view;
  const closed = rules.think === null ? -1 : ids.subarray(bodyStart, end).indexOf(rules.think.closeId);
  const from = bodyStart + closed + 1;
  const call = rules.toolCall === null ? -1 : ids.subarray(from, end).indexOf(rules.toolCall.openId);
  const text = view.text(from, end).trim();
  const textBeforeCall = call === -1 ? text : view.text(from, from + call).trim();
  return { hasThink: closed !== -1, text, textBeforeCall, firstCall: call === -1 ? null : from + call };
}

function idsFrom({ ids }: SegmentView, at: number): number[] {
  return [...ids.subarray(at, at + 48)];
}
