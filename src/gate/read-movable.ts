import { type GateState, isClosed } from '../../processors/model/gate.ts';
import type { Store } from '../clickhouse/port.ts';
import type { MayMoveTo } from './look-through-held.ts';

/**
 * What may be moved, by the last row of each gate. A run without a row moves nothing: what it holds was held by a preflight, and
 * only a row ends that, whatever the policy has become since.
 *
 * WHAT IS RELEASED IS MOVED. 1 the rows of `released` are written; 2 the forwarder dies, or the row comes late from one that hung;
 * 3 the gate closes: the books have it ready, so it is.
 */
export async function readMovable(store: Pick<Store, 'query'>, from: number): Promise<MayMoveTo> {
  const [gates, released] = await Promise.all([
    store.query<{ run_id: string; state: GateState }>(
      'SELECT run_id, state FROM rollstream.gates FINAL ORDER BY seq DESC LIMIT 1 BY run_id',
    ),
    store.query<{ run_id: string; last: number }>(
      'SELECT run_id, max(held_offset) AS last FROM rollstream.released WHERE held_offset >= {from:Int64} GROUP BY run_id',
      { from },
    ),
  ]);
  const limits = new Map(released.map(({ run_id, last }) => [run_id, Number(last)]));
  for (const { run_id, state } of gates) if (!isClosed({ state })) limits.set(run_id, Number.POSITIVE_INFINITY);
  return (runId) => limits.get(runId) ?? -1;
}
