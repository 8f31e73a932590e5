import type { TrajectoryRow } from '../../../processors/model/effects.ts';
import type { TrajectoryInit } from '../../../schemas/generated/trajectory.ts';
import { type Column, column, encodeBatch, type Owner, type Table } from '../encode-batch.ts';
import type { InsertBatch } from '../port.ts';
import type { RowBinaryWriter } from '../row-binary.ts';
import {
  asFloat64,
  asInt32,
  asInt64,
  asNullableFloat64,
  asNullableInt32,
  asNullableString,
  asString,
} from '../value-writers.ts';
import { causeColumns } from './cause-columns.ts';
import { identityColumns } from './identity-columns.ts';
import { segmentColumns } from './segment-columns.ts';
import { timeColumns } from './time-columns.ts';
import { turnColumns } from './turn-columns.ts';

const of = (name: string, write: (w: RowBinaryWriter, trajectory: TrajectoryInit) => void): Column<TrajectoryRow> =>
  column(name, (w, row) => write(w, row.trajectory));

const columns: readonly Column<TrajectoryRow>[] = [
  ...identityColumns<TrajectoryRow>((row) => row.trajectory),
  column('unit', (w, row) => w.string(row.unit)),
  column('replay_id', (w, row) => w.string(row.replay_id)),
  ...segmentColumns,
  ...turnColumns,
  of('category', (w, t) => w.string(t.category)),
  of('finish_reason', (w, t) => asNullableString(w, t.finish_reason)),
  of('reward', (w, t) => asNullableFloat64(w, t.reward)),
  of('reward_valid', (w, t) => w.bool(t.reward_valid)),
  of('reward_components', (w, t) => w.map(t.reward_components ?? {}, asNullableFloat64)),
  of('advantage', (w, t) => asNullableFloat64(w, t.advantage)),
  of('group_baseline', (w, t) => asNullableString(w, t.group_stats?.baseline)),
  of('group_n', (w, t) => asNullableInt32(w, t.group_stats?.n)),
  of('group_mean', (w, t) => asNullableFloat64(w, t.group_stats?.mean)),
  of('group_std', (w, t) => asNullableFloat64(w, t.group_stats?.std)),
  of('in_loss', (w, t) => w.bool(t.in_loss)),
  of('in_baseline', (w, t) => w.bool(t.in_baseline)),
  of('disposition', (w, t) => w.string(t.disposition)),
  of('why', (w, t) => w.array(t.why, asString)),
  of('policy_id', (w, t) => w.string(t.policy_id)),
  of('taxonomy_id', (w, t) => w.string(t.taxonomy_id)),
  of('score_id', (w, t) => w.string(t.score_id)),
  of('supersedes', (w, t) => asNullableString(w, t.supersedes)),
  of('audit_tokens', (w, t) => w.string(t.audit.tokens)),
  of('audit_template', (w, t) => w.string(t.audit.template)),
  of('audit_tools', (w, t) => w.string(t.audit.tools)),
  of('audit_termination', (w, t) => w.string(t.audit.termination)),
  of('audit_numbers', (w, t) => w.string(t.audit.numbers)),
  of('audit_wall', (w, t) => w.string(t.audit.wall)),
  of('audit_reencode', (w, t) => w.string(t.audit.reencode ?? 'unknown')),
  of('audit_missing', (w, t) => w.map(t.audit_missing ?? {}, asString)),
  of('wall_ms', (w, t) => w.map(t.wall_ms ?? {}, asFloat64)),
  of('group_size_expected', (w, t) => asNullableInt32(w, t.group_size_expected)),
  of('group_size_actual', (w, t) => asNullableInt32(w, t.group_size_actual)),
  of('group_index', (w, t) => asNullableInt32(w, t.group_index)),
  of('segment_count', (w, t) => w.int32(t.segment_count)),
  of('segment_loss_tokens', (w, t) => w.array(t.segment_loss_tokens ?? [], asInt32)),
  of('rollout_loss_tokens', (w, t) => w.int32(t.rollout_loss_tokens)),
  of('weights_version_min', (w, t) => asNullableString(w, t.weights_version_min)),
  of('weights_version_max', (w, t) => asNullableString(w, t.weights_version_max)),
  of('lag', (w, t) => w.nullable(t.lag ?? null, asInt64)),
  of('task_metadata', (w, t) => asNullableString(w, t.task_metadata)),
  of('tokenizer_sha256', (w, t) => asNullableString(w, t.tokenizer_sha256)),
  of('template_sha256', (w, t) => asNullableString(w, t.template_sha256)),
  of('tool_calls_unanswered', (w, t) => w.int32(t.tool_calls_unanswered ?? 0)),
  of('tool_results_unasked', (w, t) => w.int32(t.tool_results_unasked ?? 0)),
  of('segments_uri', (w, t) => asNullableString(w, t.segments_ref?.uri)),
  of('segments_sha256', (w, t) => asNullableString(w, t.segments_ref?.sha256)),
  of('segments_length', (w, t) => w.nullable(t.segments_ref?.length, asInt64)),
  ...timeColumns<TrajectoryRow>((row) => row.trajectory),
  of('first_offset', (w, t) => w.int64(t.first_offset)),
  of('last_offset', (w, t) => w.int64(t.last_offset)),
  of('ready_at', (w, t) => w.int64(t.ready_at)),
  ...causeColumns<TrajectoryRow>((row) => ({ partition: row.trajectory.partition, offset: row.offset })),
];

export const trajectoriesTable: Table<TrajectoryRow> = { name: 'trajectories', columns };

/** The assembled attempts, whole: explanations and replays are built from these rows. */
export function encodeTrajectories(rows: readonly TrajectoryRow[], owner: Owner): InsertBatch {
  return encodeBatch(trajectoriesTable, rows, owner);
}
