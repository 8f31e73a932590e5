import type { TrajectoryRow } from '../../../processors/model/effects.ts';
import type { BlobRef, TrajectoryInit } from '../../../schemas/generated/trajectory.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { segmentsBlob } from '../../blobs/segments-blob.ts';
import { isTooLargeForRow, trajectoryRows } from '../../lanes/trajectory-rows.ts';

/**
 * Rows of a replay that is to be emitted, before they are written: token data that is too large for a row goes to a blob now, as it
 * would when its record is written, since nothing else has the loss mask that the replay gave it.
 */
export async function keepLargeSegments(
  rows: readonly TrajectoryRow[],
  blobs: Pick<BlobStore, 'put'> | null,
): Promise<TrajectoryRow[]> {
  const refs = new Map<TrajectoryInit, BlobRef>();
  for (const { trajectory } of rows) {
    if (blobs === null || !isTooLargeForRow(trajectory.segments)) continue;
    const { ref, blob } = segmentsBlob(trajectory.segments);
    await blobs.put(blob);
    refs.set(trajectory, ref);
  }
  return trajectoryRows(rows, refs);
}
