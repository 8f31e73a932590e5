import { type GateState, isClosed } from '../../processors/model/gate.ts';
import type { Store } from '../clickhouse/port.ts';

/**
 * Runs whose gate is open by its last row. A run without a row is not among them: what it holds was held by a preflight, and only
 * a row ends that, whatever the policy has become since.
 */
export async function readOpenRuns(store: Pick<Store, 'query'>): Promise<ReadonlySet<string>> {
  const rows = await store.query<{ run_id: string; state: GateState }>(
    'SELECT run_id, state FROM rollstream.gates FINAL ORDER BY seq DESC LIMIT 1 BY run_id',
  );
  return new Set(rows.filter(({ state }) => !isClosed({ state, classes: [] })).map(({ run_id }) => run_id));
}
