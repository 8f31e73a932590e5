import type { TrajectoryRow } from '../../../processors/model/effects.ts';
import type { BlobRef, TrajectoryInit } from '../../../schemas/generated/trajectory.ts';
import type { NewBlob } from '../../blobs/blob-store.ts';
import { segmentsBlob } from '../../blobs/segments-blob.ts';
import { isTooLargeForRow, trajectoryRows } from '../../lanes/trajectory-rows.ts';

/**
 * Rows of a replay that is to be emitted, and the blobs that they name, which have to be on disk before the rows: token data that is too
 * large for a row goes to one now, as it would when its record is written, since nothing else has the loss mask that the replay gave it.
 */
export function keepLargeSegments(
  rows: readonly TrajectoryRow[],
  hasBlobs: boolean,
): { readonly rows: TrajectoryRow[]; readonly blobs: readonly NewBlob[] } {
  const refs = new Map<TrajectoryInit, BlobRef>();
  const blobs: NewBlob[] = [];
  for (const { trajectory } of rows) {
    if (!hasBlobs || !isTooLargeForRow(trajectory.segments)) continue;
    const { ref, blob } = segmentsBlob(trajectory.segments);
    blobs.push(blob);
    refs.set(trajectory, ref);
  }
  return { rows: trajectoryRows(rows, refs), blobs };
}
