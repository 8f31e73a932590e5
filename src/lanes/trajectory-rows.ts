import type { TrajectoryRow } from '../../processors/model/effects.ts';
import type { BlobRef, SegmentInit, TrajectoryInit } from '../../schemas/generated/trajectory.ts';

/** Packed token data of one row. A history that is rewritten at each call is copied at each, and no insert should be that large. */
const MOST_ROW_BYTES = 64 * 2 ** 20;

/**
 * Rows name the blob of what travels by reference, and hold its token data as any other: explanations, replays and exports
 * read them. Only the largest do not; the calls that they are made of are in `steps`.
 */
export function trajectoryRows(
  rows: readonly TrajectoryRow[],
  refs: ReadonlyMap<TrajectoryInit, BlobRef>,
): TrajectoryRow[] {
  return rows.map((row) => {
    const { trajectory } = row;
    const isTooLarge = isTooLargeForRow(trajectory.segments);
    const segments_ref = refs.get(trajectory) ?? null;
    if (segments_ref === null && !isTooLarge) return row;
    const segments = isTooLarge ? [] : trajectory.segments;
    return { ...row, trajectory: { ...trajectory, segments, segments_ref } };
  });
}

/** Its token data is not in its row. */
export function isTooLargeForRow(segments: readonly SegmentInit[]): boolean {
  return packedBytes(segments) > MOST_ROW_BYTES;
}

function packedBytes(segments: readonly SegmentInit[]): number {
  return segments.reduce(
    (sum, { token_ids, sampled_mask, loss_mask, logprobs }) =>
      sum + token_ids.length + sampled_mask.length + loss_mask.length + (logprobs?.length ?? 0),
    0,
  );
}
