import { isLost, visibleRows } from './books.ts';
import type { Outcome } from './check-outcome.ts';

/** The lag of each decision, counted anew from the announcements below the record that closed it: what differs, or null. */
export function lagProblem({ store, input }: Outcome): string | null {
  for (const decision of visibleRows(store, 'decisions')) {
    if (isLost(decision)) continue;
    const announced = input.flatMap(({ record, event }) =>
      event?.control?.weights && event.run_id === decision.run_id && record.offset < Number(decision.offset)
        ? [event.control.weights]
        : [],
    );
    const wanted = lagOf(announced, decision.weights_version_min);
    const got = decision.lag === null ? null : Number(decision.lag);
    if (got !== wanted)
      return `${decision.rollout_id}/${decision.attempt} @${decision.offset}: lag ${got}, by the announcements ${wanted}`;
  }
  return null;
}

function lagOf(
  announced: ReadonlyArray<{ readonly lineage: string; readonly version: string; readonly ordinal: number }>,
  oldest: unknown,
): number | null {
  const lineages: string[] = [];
  let made: Array<{ readonly version: string; readonly ordinal: number }> = [];
  for (const one of announced) {
    const isCurrent = lineages.at(-1) === one.lineage;
    if (!isCurrent && lineages.includes(one.lineage)) continue;
    if (isCurrent && one.ordinal <= (made.at(-1)?.ordinal ?? -1)) continue;
    if (!isCurrent) lineages.push(one.lineage);
    made = [...made.filter(({ ordinal }) => ordinal < one.ordinal), one];
  }
  const current = made.at(-1);
  const sampled = made.find(({ version }) => version === oldest);
  return current === undefined || sampled === undefined ? null : current.ordinal - sampled.ordinal;
}
