import type { TrajectoryRow } from '../../../processors/model/effects.ts';
import type { SegmentInit } from '../../../schemas/generated/trajectory.ts';
import { type Column, column } from '../encode-batch.ts';
import type { RowBinaryWriter } from '../row-binary.ts';
import { asNullableInt32, asNullableString } from '../value-writers.ts';

const nothing = new Uint8Array(0);

const of = (name: string, write: (w: RowBinaryWriter, segment: SegmentInit) => void): Column<TrajectoryRow> =>
  column(`segments.${name}`, (w, row) => w.array(row.trajectory.segments, write));

/** One array a field, an element a segment. */
export const segmentColumns: readonly Column<TrajectoryRow>[] = [
  of('segment_id', (w, segment) => w.string(segment.segment_id)),
  of('parent_segment_id', (w, segment) => asNullableString(w, segment.parent_segment_id)),
  of('fork_at', (w, segment) => asNullableInt32(w, segment.fork_at)),
  of('token_ids', (w, segment) => w.packed(segment.token_ids, 4)),
  of('prompt_len', (w, segment) => w.int32(segment.prompt_len)),
  of('sampled_mask', (w, segment) => w.packed(segment.sampled_mask, 1)),
  of('loss_mask', (w, segment) => w.packed(segment.loss_mask, 1)),
  of('has_logprobs', (w, { logprobs }) => w.bool(logprobs !== null && logprobs !== undefined)),
  of('logprobs', (w, segment) => w.packed(segment.logprobs ?? nothing, 4)),
  of('weight_starts', (w, { weight_spans }) => w.array(weight_spans ?? [], (x, span) => x.int32(span.start))),
  of('weight_versions', (w, { weight_spans }) => w.array(weight_spans ?? [], (x, span) => x.string(span.version))),
];
