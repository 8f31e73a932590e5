import type { Store } from '../clickhouse/port.ts';
import { decidedScope } from './decided-scope.ts';

export interface DecidedCount {
  /** µs since the epoch: the last decision of the run. */
  readonly until: number;
  readonly trajectories: number;
  /** Superseded: what they had done so far is no result, and was not kept. */
  readonly without: number;
}

/** null: nothing of the run was decided. */
export async function countDecided(store: Store, runId: string, all: boolean): Promise<DecidedCount | null> {
  const [last] = await store.query<{ until: number; n: number }>(
    `SELECT toUnixTimestamp64Micro(max(decided_at)) AS until, count() AS n
     FROM rollstream.live_decisions WHERE run_id = {run:String}`,
    { run: runId },
  );
  if (last === undefined || last.n === 0) return null;
  const { until } = last;
  const [found] = await store.query<{ trajectories: number; without: number }>(
    `SELECT countIf(disposition != 'superseded') AS trajectories, countIf(disposition = 'superseded') AS without
     FROM rollstream.live_decisions WHERE ${decidedScope(all)}`,
    { run: runId, until },
  );
  return { until, trajectories: found?.trajectories ?? 0, without: found?.without ?? 0 };
}
