import type { Store } from '../clickhouse/port.ts';
import type { ClosingRecord, DecisionJson } from './explanation.ts';

interface RecordRow {
  readonly kind: string;
  readonly rollout_id: string;
  readonly detail_json: string;
}

/** The record at which an attempt was decided: one of its own, of its group, or of the pipeline itself. */
export async function readClosingRecord(
  store: Pick<Store, 'query'>,
  { partition, offset }: Pick<DecisionJson, 'partition' | 'offset'>,
  of: { readonly run: string; readonly rollouts: readonly string[] },
): Promise<ClosingRecord | null> {
  // Control events are of no rollout, some of no run: with them the key of the table still finds the row.
  const rows = await store.query<RecordRow>(
    `SELECT kind, rollout_id, detail_json FROM rollstream.live_steps
     WHERE run_id IN ('', {run:String}) AND rollout_id IN ({rollouts:Array(String)})
       AND partition = {partition:Int32} AND offset = {offset:Int64}
     LIMIT 1`,
    { run: of.run, rollouts: ['', ...of.rollouts], partition, offset },
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { kind: row.kind, deadline: deadlineOf(row), rollout_id: row.rollout_id, partition, offset };
}

function deadlineOf({ kind, detail_json: detail }: RecordRow): string | null {
  if (kind !== 'control' || detail === '') return null;
  const { deadline }: { deadline?: { name?: unknown } | null } = Object(JSON.parse(detail));
  return typeof deadline?.name === 'string' ? deadline.name : null;
}
