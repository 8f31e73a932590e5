import type { Store } from '../clickhouse/port.ts';
import type { RunRow } from '../clickhouse/tables/runs.ts';

interface StoredRun extends Omit<RunRow, 'createdAtMs' | 'changedAtMs'> {
  readonly created_ms: number;
  readonly changed_ms: number;
}

const SELECT = `SELECT run_id, toString(state) AS state, purpose, note, events_per_second, in_flight_bytes,
  toUnixTimestamp64Milli(created_at) AS created_ms, toUnixTimestamp64Milli(changed_at) AS changed_ms, changed_by, removed,
  ready_below, held_below, gate_seq, version
FROM rollstream.runs FINAL`;

/** What was last said of each run. */
export async function readRunRows(store: Pick<Store, 'query'>): Promise<RunRow[]> {
  return (await store.query<StoredRun>(`${SELECT} ORDER BY run_id`)).map(rowOf);
}

/** null: nothing was. */
export async function readRunRow(store: Pick<Store, 'query'>, runId: string): Promise<RunRow | null> {
  const [found] = await store.query<StoredRun>(`${SELECT} WHERE run_id = {run:String}`, { run: runId });
  return found === undefined ? null : rowOf(found);
}

/** Another text when something was said of some run: cheaper than the rows. */
export async function readRunsFingerprint(store: Pick<Store, 'query'>): Promise<string> {
  const [found] = await store.query<{ rows: number; hash: string }>(
    `SELECT count() AS rows, toString(groupBitXor(cityHash64(run_id, version, changed_at))) AS hash
     FROM (SELECT run_id, version, changed_at FROM rollstream.runs FINAL)`,
  );
  return `${found?.rows ?? 0}|${found?.hash ?? ''}`;
}

function rowOf({ created_ms, changed_ms, ...rest }: StoredRun): RunRow {
  return { ...rest, createdAtMs: Number(created_ms), changedAtMs: Number(changed_ms) };
}
