import type { SegmentInit } from '../../schemas/generated/trajectory.ts';

/** Floats travel as their bits, so that no decimal stands between: NaN and -0 come back as they went in. */
export const segmentSelect = `arrayMap(
    (id, parent, fork, tokens, len, sampled, loss, has, probs, starts, versions) ->
      tuple(id, parent, fork, tokens, len, sampled, loss, has, arrayMap(p -> reinterpretAsUInt32(p), probs), starts, versions),
    segments.segment_id, segments.parent_segment_id, segments.fork_at, segments.token_ids, segments.prompt_len,
    segments.sampled_mask, segments.loss_mask, segments.has_logprobs, segments.logprobs, segments.weight_starts,
    segments.weight_versions) AS seg`;

type Found = [
  segmentId: string,
  parentId: string | null,
  forkAt: number | null,
  tokenIds: number[],
  promptLen: number,
  sampledMask: number[],
  lossMask: number[],
  hasLogprobs: boolean,
  logprobBits: number[],
  weightStarts: number[],
  weightVersions: string[],
];

export interface SegmentArrays {
  readonly seg: readonly Found[];
}

export function segmentsOf({ seg }: SegmentArrays): SegmentInit[] {
  return seg.map(
    ([segment_id, parent_segment_id, fork_at, tokens, prompt_len, sampled, loss, has, bits, starts, versions]) => ({
      segment_id,
      parent_segment_id,
      fork_at,
      token_ids: packed32(tokens),
      prompt_len,
      sampled_mask: Buffer.from(sampled),
      loss_mask: Buffer.from(loss),
      logprobs: has ? packed32(bits) : null,
      weight_spans: starts.map((start, index) => ({ start, version: versions[index] ?? '' })),
    }),
  );
}

function packed32(values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value, index * 4);
  });
  return bytes;
}
