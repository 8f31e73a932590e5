import type { ReadyEntry } from '../model/delivery.ts';
import type { Task, TrainedBefore } from '../model/delivery-effects.ts';
import type { LogOwner } from './log-owner.ts';
import type { Run } from './run.ts';
import { isOfWholeGroup } from './version-group.ts';

/** Units that are asked for together. */
const MOST_UNITS = 500;

/**
 * WHAT WAS TRAINED FOR GOOD IS FORGOTTEN, AND STILL COUNTS. 1 A unit is trained, sealed, folded: of the books it is a number; 2 a replay
 * emits it; 3 it is trained a second time. So of what a replay emits the rows are asked, once, when it comes; what they say of it is
 * written before it counts. What is not final yet is in the books, and stays there while a version waits.
 */
export function* lookBack(owner: LogOwner, run: Run): Task<void> {
  while (run.unseen.size > 0) {
    const asked = new Map<string, ReadyEntry[]>();
    for (const offset of run.unseen) {
      const entry = run.order.get(offset);
      if (entry === undefined) run.unseen.delete(offset);
      else if (asked.has(entry.unit) || asked.size < MOST_UNITS)
        asked.set(entry.unit, [...(asked.get(entry.unit) ?? []), entry]);
    }
    const units = [...asked.keys()];
    const isNothingFinal = (run.counts.get('trained') ?? 0) === 0;
    const { trained = [] } =
      isNothingFinal || units.length === 0 ? {} : yield { kind: 'look_back', run: run.name, units };
    owner.confirm();
    for (const before of trained)
      for (const entry of asked.get(before.unit) ?? [])
        if (isVersionOf(run, entry, before)) run.trainedBefore.add(entry.offset);
    run.seen([...asked.values()].flat().map(({ offset }) => offset));
  }
}

/** Rows of what is not final say nothing that the books do not know better. */
function isVersionOf(run: Run, entry: ReadyEntry, { offset, rollout, lineage, step }: TrainedBefore): boolean {
  const isOfAll = isOfWholeGroup(entry) && run.unit !== 'rollout';
  const isForGood = run.isFinal(offset) && run.survives(lineage, step);
  return offset < entry.offset && isForGood && (isOfAll || rollout === entry.rollout);
}
