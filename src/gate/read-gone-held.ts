import type { Store } from '../clickhouse/port.ts';
import type { GoneBelow } from './look-through-held.ts';

/** What of the held topic, from an offset on, is of deleted runs. */
export async function readGoneHeld(store: Pick<Store, 'query'>, from: number): Promise<GoneBelow> {
  const rows = await store.query<{ run_id: string; below: number }>(
    'SELECT run_id, held_below AS below FROM rollstream.runs FINAL WHERE held_below > {from:Int64}',
    { from },
  );
  const below = new Map(rows.map(({ run_id, below: offset }) => [run_id, Number(offset)]));
  return (runId) => below.get(runId) ?? 0;
}
