import type { Trajectory } from '../../schemas/generated/trajectory.ts';

/** A trajectory for people and scripts: snake_case, packed bytes unpacked. The shape of `ready --json` and of the API. */
export interface TrajectoryJson extends Omit<Trajectory, 'segments'> {
  readonly segments: SegmentJson[];
}

export interface SegmentJson {
  readonly segment_id: string;
  readonly parent_segment_id: string | null;
  readonly fork_at: number | null;
  readonly token_ids: readonly number[];
  readonly prompt_len: number;
  readonly sampled_mask: readonly number[];
  readonly loss_mask: readonly number[];
  /** Each is a float32 exactly. */
  readonly logprobs: readonly number[] | null;
  readonly weight_spans: readonly { readonly start: number; readonly version: string }[];
}
