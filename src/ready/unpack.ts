import type { Segment, Trajectory } from '../../schemas/generated/trajectory.ts';
import type { SegmentJson, TrajectoryJson } from './trajectory-json.ts';

/**
 * Ids, masks and logprobs as numbers; nothing is rounded, since a double holds each float32. `task_metadata` stays text: parsing
 * it would change integers beyond 2^53.
 */
export function unpackTrajectory(trajectory: Trajectory): TrajectoryJson {
  return { ...trajectory, segments: trajectory.segments.map(unpackSegment) };
}

function unpackSegment(segment: Segment): SegmentJson {
  return {
    segment_id: segment.segment_id,
    parent_segment_id: segment.parent_segment_id,
    fork_at: segment.fork_at,
    token_ids: uint32s(segment.token_ids),
    prompt_len: segment.prompt_len,
    sampled_mask: [...segment.sampled_mask],
    loss_mask: [...segment.loss_mask],
    logprobs: segment.logprobs === null ? null : float32s(segment.logprobs),
    weight_spans: segment.weight_spans.map(({ start, version }) => ({ start, version })),
  };
}

/** Little-endian uint32s. */
function uint32s(bytes: Buffer): number[] {
  const numbers = new Array<number>(bytes.length >>> 2);
  for (let index = 0; index < numbers.length; index += 1) numbers[index] = bytes.readUInt32LE(index * 4);
  return numbers;
}

/** Little-endian float32s. */
function float32s(bytes: Buffer): number[] {
  const numbers = new Array<number>(bytes.length >>> 2);
  for (let index = 0; index < numbers.length; index += 1) numbers[index] = bytes.readFloatLE(index * 4);
  return numbers;
}
