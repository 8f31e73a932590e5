import { promptEndOf } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

/** Ends and openings within what was sampled: the policy's own doing, but for an end that was written twice. */
export function checkSampled(view: SegmentView): void {
  const { ids, rules, ranges, ends, controls, report } = view;
  for (const range of ranges) {
    if (range.copied) continue;
    const from = promptEndOf(range);
    let last = range.end - 1;
    while (last > from && ids[last] === rules.endOfTurnId && ids[last - 1] === rules.endOfTurnId) last -= 1;
    if (last < range.end - 1)
      report({
        ...{ class: 'end_of_turn_doubled', severity: 'fail', index: last + 1, expectedIds: [rules.endOfTurnId] },
        detail: `the completion ends ${range.end - last} times`,
      });
    let at = from;
    while (at < last && !controls.has(ids[at] ?? -1)) at += 1;
    if (at >= last) continue;
    if (ends.has(ids[at] ?? -1))
      report({
        ...{ class: 'sampled_after_end_of_turn', severity: 'warn', index: at + 1 },
        detail: `sampling went on for ${range.end - at - 1} tokens after the end of turn ${ids[at]}`,
      });
    else
      report({
        ...{ class: 'control_token_sampled', severity: 'warn', index: at },
        detail: `the policy wrote the control token ${ids[at]} within its turn`,
      });
  }
}
