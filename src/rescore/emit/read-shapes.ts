import { MOST_RECORD_BYTES } from '../../../processors/model/record-bytes.ts';
import type { BlobName } from '../../blobs/blob-store.ts';
import type { Store } from '../../clickhouse/port.ts';
import { IS_KEPT, keysOf } from './kept-columns.ts';

/** What a trajectory of a replay weighs, without its token data. */
export interface Shape {
  readonly rolloutHex: string;
  readonly attempt: number;
  /** Kept members that left together with it; null: it left by itself. */
  readonly size: number | null;
  /** What left together left at this offset. */
  readonly closedAt: number;
  /** Bytes of its record, about, the token data in it. */
  readonly bytes: number;
  /** stored: in its row. lost: it was too large for one, and no blob has it. */
  readonly segments: 'stored' | 'lost' | BlobName;
}

interface Row {
  readonly unit: string;
  readonly rollout_hex: string;
  readonly attempt: number;
  readonly group_size_actual: number | null;
  readonly closed_at: number | string;
  readonly bytes: number | string;
  readonly is_light: boolean;
  readonly segments_sha256: string | null;
  readonly blob_length: number | string | null;
}

/** Kept trajectories of these units, by unit, each in the order in which a lane sends them. */
export async function readShapes(
  store: Pick<Store, 'query'>,
  replayId: string,
  units: readonly string[],
): Promise<Map<string, Shape[]>> {
  const shapes = new Map<string, Shape[]>();
  if (units.length === 0) return shapes;
  const rows = await store.query<Row>(
    `SELECT unit, hex(rollout_id) AS rollout_hex, attempt, group_size_actual, last_offset AS closed_at,
       ifNull(group_index, 0) AS place,
       arraySum((tokens, has) -> tokens * (6 + 4 * has), segments.loss_mask.size1, segments.has_logprobs)
         + ifNull(length(task_metadata), 0) + 200 * length(turns.turn) + ${FIXED_BYTES} AS bytes,
       segment_count > 0 AND empty(segments.segment_id) AS is_light,
       segments_sha256, segments_length AS blob_length
     FROM rollstream.trajectories
     WHERE replay_id = {replay:String} AND unit IN {units:Array(String)} AND ${IS_KEPT} AND ${keysOf('{replay:String}')}
     ORDER BY unit, closed_at, place, rollout_hex, attempt, version DESC
     LIMIT 1 BY unit, rollout_hex, attempt`,
    { replay: replayId, units },
  );
  for (const row of rows) {
    const shape = {
      rolloutHex: row.rollout_hex,
      attempt: row.attempt,
      size: row.group_size_actual,
      closedAt: Number(row.closed_at),
      bytes: Number(row.bytes),
      segments: segmentsOf(row),
    };
    const known = shapes.get(row.unit);
    if (known === undefined) shapes.set(row.unit, [shape]);
    else known.push(shape);
  }
  return shapes;
}

/** Of ids, numbers, lists other than turns. */
const FIXED_BYTES = 4096;

function segmentsOf({ is_light, segments_sha256, blob_length }: Row): Shape['segments'] {
  if (!is_light) return 'stored';
  return segments_sha256 === null ? 'lost' : { sha256: segments_sha256, length: Number(blob_length ?? 0) };
}

/** Its token data has to go to a blob when it is emitted. */
export function needsBlob({ segments, bytes }: Shape): boolean {
  return segments === 'stored' && bytes > MOST_RECORD_BYTES;
}
