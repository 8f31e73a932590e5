import type { BulkReader } from '../../clickhouse/port.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import type { ReplayPlace } from '../replay-request.ts';
import type { RefusedRollouts } from '../replay-source.ts';
import { limitOf, ofPartition, ofRuns, type PartitionScope, scopedUnits } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

/** Rollouts of one partition that were decided, and of whose unit `steps` has no start any more. */
export interface LostRollouts {
  readonly n: number;
  /** The first 100. */
  readonly rollouts: readonly string[];
}

/**
 * What a replay would have to decide again, and cannot: somebody deleted the steps of whole units. Its stretch is told by the
 * decisions, which name the first record of their attempt and when it was decided.
 */
export async function readLostRollouts(
  reader: BulkReader,
  of: PartitionScope,
  scope: Pick<StoreScope, 'runs' | 'from' | 'to' | 'where'>,
): Promise<LostRollouts> {
  const runs = ofRuns(scope);
  const wanted = scopedUnits(of, { ...scope, from: null, to: null }, { steps: runs, decisions: runs });
  const stretch = [
    ...(scope.from === null ? [] : [`${placed(scope.from)} >= ${limitOf(scope.from)}`]),
    ...(scope.to === null ? [] : [`${placed(scope.to)} < ${limitOf(scope.to)}`]),
  ];
  const rows = new RowBinaryReader(
    await reader.read(
      `SELECT toInt64(count()), arraySlice(arraySort(groupArray(1000)(rollout_id)), 1, 100) FROM (
        SELECT DISTINCT unit, rollout_id FROM rollstream.decisions
        WHERE ${[ofPartition(of, 'offset'), "replay_id = ''", runs, ...wanted, ...stretch].join(' AND ')}
          AND unit NOT IN (
            SELECT unit FROM rollstream.steps WHERE ${ofPartition(of, 'cause')} AND kind = 'start' AND ${runs}))`,
    ),
  );
  const n = rows.int64();
  return { n, rollouts: rows.array(() => rows.string()) };
}

function placed({ kind }: ReplayPlace): string {
  return kind === 'offset' ? 'first_offset' : 'toUnixTimestamp64Milli(decided_at)';
}

/** As a plan says it; nothing where none is lost. */
export function refusedAsLost(lost: readonly LostRollouts[]): RefusedRollouts[] {
  const n = lost.reduce((sum, one) => sum + one.n, 0);
  if (n === 0) return [];
  const rollouts = lost.flatMap((one) => one.rollouts).slice(0, 100);
  return [{ reason: 'records_lost', detail: 'their steps are not in the store any more', n, rollouts }];
}
