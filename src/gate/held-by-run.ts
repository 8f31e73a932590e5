import type { Store } from '../clickhouse/port.ts';

/** Trajectories that wait for the gate of their run, by run; a run that holds none is absent. */
export async function readHeld(
  store: Pick<Store, 'query'>,
  runId: string | null,
): Promise<ReadonlyMap<string, number>> {
  const rows = await store.query<{ run_id: string; held: number }>(
    `SELECT run_id, toUInt32(count()) AS held FROM rollstream.live_held
     WHERE ({run:String} = '' OR run_id = {run:String}) GROUP BY run_id`,
    { run: runId ?? '' },
  );
  return new Map(rows.map(({ run_id, held }) => [run_id, held] as const));
}
