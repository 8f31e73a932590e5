import { type GateState, isClosed } from '../../processors/model/gate.ts';
import type { Store } from '../clickhouse/port.ts';
import type { GoneBelow, MayMoveTo } from './look-through-held.ts';

export interface Movable {
  readonly mayMoveTo: MayMoveTo;
  readonly goneBelow: GoneBelow;
}

/**
 * What may be moved, by the last row of each gate, and what is of deleted runs. A run without a row moves nothing: what it holds was
 * held by a preflight, and only a row ends that, whatever the policy has become since.
 *
 * WHAT IS RELEASED IS MOVED. 1 the rows of `released` are written; 2 the forwarder dies, or the row comes late from one that hung;
 * 3 the gate closes: the books have it ready, so it is.
 */
export async function readMovable(store: Pick<Store, 'query'>, from: number): Promise<Movable> {
  const [gates, released] = await Promise.all([
    store.query<{ run_id: string; state: GateState }>(
      'SELECT run_id, state FROM rollstream.gates FINAL ORDER BY seq DESC LIMIT 1 BY run_id',
    ),
    store.query<{ run_id: string; last: number; is_gone: number }>(RELEASED_OR_GONE, { from }),
  ]);
  const limits = new Map<string, number>();
  const gone = new Map<string, number>();
  for (const { run_id, last, is_gone } of released) (is_gone === 1 ? gone : limits).set(run_id, Number(last));
  for (const { run_id, state } of gates) if (!isClosed({ state })) limits.set(run_id, Number.POSITIVE_INFINITY);
  return { mayMoveTo: (runId) => limits.get(runId) ?? -1, goneBelow: (runId) => gone.get(runId) ?? 0 };
}

const RELEASED_OR_GONE = `
  SELECT run_id, toInt64(max(held_offset)) AS last, 0 AS is_gone FROM rollstream.released WHERE held_offset >= {from:Int64} GROUP BY run_id
  UNION ALL
  SELECT run_id, toInt64(held_below) AS last, 1 AS is_gone FROM rollstream.runs FINAL WHERE held_below > {from:Int64}`;
