import type { TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

const MOST_GAP_TOKENS = 64;

/** Between two turns: an end, the separator, and nothing else. */
export function checkBoundaries(view: SegmentView): void {
  const { turns } = view;
  turns.forEach((turn, i) => {
    const next = turns[i + 1];
    if (turn.closedBy !== null) checkGap(view, turn, next !== undefined);
    else if (next !== undefined) checkUnended(view, turn, next);
    else checkLastEnd(view, turn);
  });
}

function checkGap(view: SegmentView, turn: TurnSpan, isFollowed: boolean): void {
  const { ids, rules, report } = view;
  const to = turn.gapEnd;
  let from = turn.end + 1;
  // An engine may stop on another end than the template's, and the loop writes the template's after it.
  if (turn.sampledAt !== null && turn.closedBy !== rules.endOfTurnId && ids[from] === rules.endOfTurnId) from += 1;
  if (ids[from] === rules.endOfTurnId) {
    report({
      ...{ class: 'end_of_turn_doubled', severity: 'fail', index: from, expectedIds: rules.separatorIds },
      detail: `the ${turn.roleText} turn ends more than once`,
    });
    while (ids[from] === rules.endOfTurnId) from += 1;
  }
  if (from >= to && !isFollowed) return;
  const gap = ids.subarray(from, Math.min(to, from + MOST_GAP_TOKENS));
  if (to - from === rules.separatorIds.length && rules.separatorIds.every((id, i) => gap[i] === id)) return;
  if (gap.length === 0) {
    report({
      ...{ class: 'separator_missing', severity: 'fail', index: to, expectedIds: rules.separatorIds },
      detail: `nothing parts the ${turn.roleText} turn from the next`,
    });
    return;
  }
  // A later BOS has a finding of its own.
  if (rules.bosId !== null && gap.every((id, i) => id === rules.bosId || id === rules.separatorIds[i])) return;
  const text = view.text(from, from + gap.length);
  if (text.trim() === '')
    report({
      ...{ class: 'separator_malformed', severity: 'fail', index: from, expectedIds: rules.separatorIds },
      detail: `${JSON.stringify(text)} follows the ${turn.roleText} turn`,
    });
  else if (turn.sampledAt === null && turn.role !== 'assistant') reportControl(view, turn.end, turn);
  else
    report({
      ...{ class: 'text_outside_turn', severity: 'fail', index: from, expectedIds: rules.separatorIds },
      detail: `text follows the end of the ${turn.roleText} turn, within no turn`,
    });
}

/** A turn opens while another is open. */
function checkUnended(view: SegmentView, turn: TurnSpan, next: TurnSpan): void {
  const { rules, report } = view;
  const isSampled = turn.sampledAt !== null;
  if (isSampled && isCut(view, turn)) return;
  const { closeText } = rules.toolResult ?? { closeText: '' };
  const endsWhole =
    closeText !== '' &&
    view
      .text(next.open - 8, next.open)
      .trimEnd()
      .endsWith(closeText.trimEnd().slice(-8));
  if (!isSampled && turn.role !== 'assistant' && !endsWhole) {
    reportControl(view, next.open, turn);
    return;
  }
  report({
    ...{ class: 'end_of_turn_missing', severity: 'fail', index: next.open },
    expectedIds: [rules.endOfTurnId, ...rules.separatorIds],
    detail: `the ${turn.roleText} turn does not end before the next opens`,
  });
}

/** Stopped, and nothing says on what: a stop text does so too. */
function checkLastEnd({ finishOf, ranges, ids, rules, report }: SegmentView, turn: TurnSpan): void {
  const last = turn.lastSampled === null ? undefined : ranges[turn.lastSampled];
  if (last === undefined || last.end !== ids.length) return;
  if (finishOf(last.turn) !== 'stop') return;
  report({
    ...{ class: 'end_of_turn_missing', severity: 'warn', index: ids.length, expectedIds: [rules.endOfTurnId] },
    detail: 'the call stopped, and its completion does not end with an end of turn',
  });
}

/** By length or by force: there was no end to sample. */
function isCut({ finishOf, ranges }: SegmentView, turn: TurnSpan): boolean {
  const last = turn.lastSampled === null ? undefined : ranges[turn.lastSampled];
  return last !== undefined && /length|max|abort|cancel/.test(finishOf(last.turn) ?? '');
}

/** One finding a prompt: what follows a forged turn is its own. */
export function reportControl({ report, ids, told }: SegmentView, index: number, turn: TurnSpan): void {
  if (told.has(turn.range)) return;
  told.add(turn.range);
  report({
    ...{ class: 'control_token_in_observation', severity: 'fail', index },
    detail: `the body of a ${turn.roleText} turn holds the control token ${ids[index]}, which its text was not to become`,
  });
}
