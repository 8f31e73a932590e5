import type { BulkReader } from '../../clickhouse/port.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import type { ReplayChunk } from '../replay-source.ts';
import { ofPartition, ofRuns, type PartitionScope, scopedUnits } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

export interface ChunkLimits {
  /** A chunk ends with the unit that reaches one of them: it has at most one unit more. */
  readonly events: number;
  readonly bytes: number;
}

/**
 * Each piece looks at every stretch of the table that may hold one of its units, and where rollout ids are random that is all of it:
 * the fewer pieces the better.
 */
export function chunkLimits(withTokens: boolean): ChunkLimits {
  return { events: withTokens ? 100_000 : 400_000, bytes: 64 << 20 };
}

/** Bytes of an event beside its data: ids, codes, times. */
const EVENT_BYTES = 350;
/** Of one without tokens, which has fewer columns. */
const LIGHT_EVENT_BYTES = 240;
/** Of an event without tokens: what may be long and is read all the same. */
const LIGHT_BYTES = `if(kind = 'model_call', 0, length(detail_json)) + ifNull(length(task_metadata_json), 0)`;
const TOKEN_BYTES = `length(detail_json) + ifNull(length(task_metadata_json), 0) + ifNull(length(text), 0) + ifNull(length(tools_json), 0) + ifNull(length(extra_json), 0)
  + 4 * (length(prompt_delta_ids) + length(completion_ids) + length(completion_logprobs))
  + arraySum(a -> ifNull(length(a), 0), \`tool_calls.arguments_raw\`)`;

/**
 * Units of a partition in order of their bytes, cut by running sums: what a chunk holds depends on the rows alone, and not on what
 * was read before. Units without an accepted start have nothing to decide.
 */
export async function planChunks(
  reader: BulkReader,
  of: PartitionScope,
  scope: Pick<StoreScope, 'runs' | 'from' | 'to' | 'where'>,
  { withTokens, limits }: { readonly withTokens: boolean; readonly limits: ChunkLimits },
): Promise<Omit<ReplayChunk, 'chunk'>[]> {
  const runs = ofRuns(scope);
  const wanted = scopedUnits(of, scope, { steps: runs, decisions: runs });
  // In events: of two limits the nearer one.
  const share = (limits.events / limits.bytes).toPrecision(17);
  const bytes = `sum(${withTokens ? `${EVENT_BYTES} + ${TOKEN_BYTES}` : `${LIGHT_EVENT_BYTES} + ${LIGHT_BYTES}`})`;
  const sql = `SELECT min(unit), max(unit), min(low), max(high), toInt64(count()), toInt64(sum(n)) FROM (
    SELECT unit, low, high, n, intDiv(
      sum(weight) OVER (ORDER BY unit ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), ${limits.events}) AS cut
    FROM (
      SELECT unit, minIf(rollout_id, rollout_id != '') AS low, max(rollout_id) AS high, count() AS n,
        greatest(n, toUInt64(${bytes} * ${share})) AS weight
      FROM rollstream.steps
      WHERE ${ofPartition(of, 'cause')} AND unit != '' AND ${[runs, ...wanted].join(' AND ')}
      GROUP BY unit HAVING countIf(kind = 'start') > 0))
    GROUP BY cut ORDER BY cut`;
  const rows = new RowBinaryReader(await reader.read(sql));
  const chunks: Omit<ReplayChunk, 'chunk'>[] = [];
  while (!rows.isAtEnd)
    chunks.push({
      partition: of.partition,
      fromUnit: rows.string(),
      toUnit: rows.string(),
      fromRollout: rows.string(),
      toRollout: rows.string(),
      units: rows.int64(),
      events: rows.int64(),
    });
  return chunks;
}
