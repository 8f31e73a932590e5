import { promptEndOf, type TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';
import { isResult } from './tool-result.ts';

/** What other templates call the turn of a tool. */
const TOOL_ROLES: ReadonlySet<string> = new Set(['tool', 'ipython', 'function', 'observation', 'tool_response']);

/** Turns of tools are written as the template writes them, and answer calls. */
export function checkToolTurns(view: SegmentView): void {
  for (const turn of view.turns) {
    checkRole(view, turn);
    checkFormat(view, turn);
  }
  checkMatched(view);
}

function checkRole({ rules, report }: SegmentView, turn: TurnSpan): void {
  if (turn.sampledAt !== null) return;
  if (turn.role === null) {
    const roles = rules.roles.map(({ name }) => name).join(', ');
    const isTool = TOOL_ROLES.has(turn.roleText.trim());
    report({
      ...{ class: isTool ? 'tool_turn_format' : 'unknown_role', severity: 'fail', index: turn.open },
      detail: `a turn of role ${JSON.stringify(turn.roleText)}: ${rules.name} writes ${roles}`,
    });
  } else if (!turn.isWhole)
    report({
      ...{ class: 'header_malformed', severity: 'fail', index: turn.bodyStart, expectedIds: rules.headerTextIds },
      detail: `${JSON.stringify(rules.headerText)} does not follow the role ${turn.roleText}`,
    });
}

/** Blanks around the marks: another text than the template's, and the same marks. */
function checkFormat(view: SegmentView, turn: TurnSpan): void {
  const format = view.rules.toolResult;
  if (format === null || format.openText === '' || turn.closedBy === null || !isResult(view, turn)) return;
  const opening = view.text(turn.bodyStart, Math.min(turn.end, turn.bodyStart + 16));
  // A header that merged with its body is part of it.
  const head = turn.isExact ? format.openText : `${view.rules.headerText}${format.openText}`;
  const tail = view.text(Math.max(turn.bodyStart, turn.end - 16), turn.end);
  const isEnded = tail.trimEnd().endsWith(format.closeText.trim());
  if (opening.startsWith(head) && (tail.endsWith(format.closeText) || !isEnded)) return;
  view.report({
    ...{ class: 'tool_turn_format', severity: 'warn', index: turn.bodyStart },
    detail: 'the blanks around a tool result are not those of the template',
    expectedText: `${format.openText}…${format.closeText}`,
  });
}

/** No more results than calls. Fewer: the tools audit knows which. */
function checkMatched(view: SegmentView): void {
  const { rules, ranges, sampledIn, openedIn } = view;
  const call = rules.toolCall;
  if (call === null || rules.toolResult === null) return;
  ranges.forEach((range, index) => {
    const before = ranges[index - 1];
    if (range.copied || before === undefined || before.copied || sampledIn[index - 1] === null) return;
    if (before.turn + 1 !== range.turn) return;
    const calls = countOf(view.ids, promptEndOf(before), before.end, call.openId);
    const results = (openedIn[index] ?? []).filter((turn) => isResult(view, turn));
    const first = results[0];
    if (first === undefined) return;
    let answered = 0;
    for (const turn of results) answered += countResults(view, turn);
    if (answered > calls)
      view.report({
        ...{ class: 'tool_turn_unmatched', severity: 'warn', index: first.open },
        detail: `${answered} tool results follow a turn with ${calls} calls`,
      });
  });
}

/** Where their mark is no token of its own, a turn counts as one result: its text may hold anything. */
function countResults({ ids, tokenizer, rules }: SegmentView, turn: TurnSpan): number {
  const openId = tokenizer.addedId(rules.toolResult?.openText.trim() ?? '');
  const closeId = tokenizer.addedId(rules.toolResult?.closeText.trim() ?? '');
  if (openId === null || closeId === null) return 1;
  let count = 0;
  let isOpen = false;
  for (let at = turn.bodyStart; at < turn.end; at++) {
    if (ids[at] === openId && !isOpen) {
      isOpen = true;
      count += 1;
    } else if (ids[at] === closeId) isOpen = false;
  }
  return count;
}

function countOf(ids: Uint32Array, from: number, to: number, id: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (ids[at] === id) count += 1;
  return count;
}
