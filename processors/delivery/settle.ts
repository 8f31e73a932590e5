import type { Fact, Facts } from '../model/delivery.ts';
import type { Task } from '../model/delivery-effects.ts';
import type { LogOwner } from './log-owner.ts';
import type { Run } from './run.ts';

/** Facts in one record. */
const MOST_FACTS = 5_000;

/**
 * Writes what has become replaced: final from then on, whatever comes back. It follows from what is ready and from other facts, but
 * those are forgotten one day, and rows are made of records.
 */
export function* settle(owner: LogOwner, run: Run): Task<void> {
  for (;;) {
    if (!run.versions.isEmpty) run.refresh(owner.world.nowMs());
    if (run.owed.size === 0) return;
    const facts = new Map<number, Fact>();
    const [[, reason] = []] = run.owed;
    for (const [offset, why] of run.owed) {
      if (why !== reason || facts.size === MOST_FACTS) continue;
      const { lineage } = run;
      facts.set(offset, { state: 'replaced', lineage, step: 0, lease: '', count: run.deliveries(offset) });
    }
    yield* owner.write(foundRecord(run.name, reason ?? '', facts));
  }
}

const foundRecord = (run: string, reason: string, facts: Facts) => ({
  ...{ kind: 'fact' as const, run, facts, reason, version: null },
  ...{ lags: new Map<number, number>(), match: null },
});
