import { promptEndOf } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';

/** The beginning of a sequence: how often the BOS stands there, that it stands nowhere else, and the system turn. */
export function checkStart(view: SegmentView): void {
  const { ids, rules, turns, report } = view;
  const count = leadingBos(view);
  if (rules.bosId !== null && count === 0)
    report({
      ...{ class: 'bos_missing', severity: 'fail', index: 0, expectedIds: [rules.bosId] },
      detail: `the sequence does not begin with ${rules.bosId}, which ${rules.name} writes first`,
    });
  if (count > 1)
    report({
      ...{
        class: 'bos_duplicated',
        severity: 'fail',
        index: 1,
        expectedIds: ids.length > count ? [ids[count] ?? 0] : [],
      },
      detail: `the sequence begins with the BOS ${count} times`,
    });
  checkLaterBos(view, count);
  const first = turns[0];
  if (rules.defaultSystem !== null && first !== undefined && first.role !== 'system' && first.open <= count)
    report({
      ...{ class: 'system_missing', severity: 'fail', index: first.open },
      detail: `the first turn is ${first.roleText}: ${rules.name} writes a system turn where the messages have none`,
      ...(rules.defaultSystem === '' ? {} : { expectedText: rules.defaultSystem }),
    });
}

/** How many of them the sequence begins with. */
function leadingBos({ ids, rules }: SegmentView): number {
  let count = 0;
  while (rules.bosId !== null && ids[count] === rules.bosId) count += 1;
  return count;
}

function checkLaterBos({ ids, rules, ranges, report }: SegmentView, leading: number): void {
  if (rules.bosId === null) return;
  for (const range of ranges)
    for (let at = Math.max(range.promptStart, leading); at < promptEndOf(range); at++)
      if (ids[at] === rules.bosId)
        report({
          ...{ class: 'bos_mid_sequence', severity: 'fail', index: at },
          detail:
            at === range.promptStart
              ? 'the new part of a prompt begins with the BOS: it was encoded as if it were a sequence of its own'
              : 'a BOS stands within the sequence',
        });
}
