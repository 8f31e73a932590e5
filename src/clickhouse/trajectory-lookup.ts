import type { TrajectoryInit } from '../../schemas/generated/trajectory.ts';
import type { QueryParams, Store } from './port.ts';
import { type SegmentArrays, segmentSelect, segmentsOf } from './segments-found.ts';
import { type ListArrays, listSelect, listsOf } from './trajectory-lists-found.ts';

type Scalars = Pick<
  TrajectoryInit,
  | ('run_id' | 'purpose' | 'env_name' | 'task_id' | 'epoch' | 'group_id' | 'group_size' | 'rollout_id' | 'attempt')
  | ('category' | 'finish_reason' | 'reward' | 'reward_valid' | 'reward_components' | 'advantage')
  | ('in_loss' | 'in_baseline' | 'disposition' | 'why' | 'policy_id' | 'taxonomy_id' | 'score_id' | 'supersedes')
  | ('audit_missing' | 'wall_ms' | 'group_size_expected' | 'group_size_actual' | 'group_index' | 'segment_count')
  | ('segment_loss_tokens' | 'rollout_loss_tokens' | 'weights_version_min' | 'weights_version_max' | 'lag')
  | ('task_metadata' | 'tokenizer_sha256' | 'template_sha256' | 'tool_calls_unanswered' | 'tool_results_unasked')
  | ('partition' | 'first_offset' | 'last_offset')
>;

const SCALARS = `run_id, purpose, env_name, task_id, epoch, group_id, group_size, rollout_id, attempt,
  category, finish_reason, reward, reward_valid, reward_components, advantage,
  in_loss, in_baseline, disposition, why, policy_id, taxonomy_id, score_id, supersedes,
  audit_missing, wall_ms, group_size_expected, group_size_actual, group_index, segment_count, segment_loss_tokens,
  rollout_loss_tokens, weights_version_min, weights_version_max, lag, task_metadata, tokenizer_sha256,
  template_sha256, tool_calls_unanswered, tool_results_unasked, partition, first_offset, last_offset`;

/** Columns that a trajectory has otherwise, under names that no column has (an alias of a column's name would replace it). */
const RENAMED = `
  tuple(audit_tokens, audit_template, audit_tools, audit_termination, audit_numbers, audit_wall,
    if(audit_reencode = '', 'unknown', audit_reencode)) AS audits,
  tuple(group_baseline, group_n, group_mean, group_std) AS stats,
  tuple(segments_uri, segments_sha256, segments_length) AS blob,
  toUnixTimestamp64Micro(started_at) AS started_us,
  toUnixTimestamp64Micro(ended_at) AS ended_us,
  toUnixTimestamp64Micro(ready_at) AS ready_us`;

type AuditResult = TrajectoryInit['audit']['tokens'];

interface Renamed {
  readonly audits: [AuditResult, AuditResult, AuditResult, AuditResult, AuditResult, AuditResult, AuditResult];
  readonly stats: [string | null, number | null, number | null, number | null];
  readonly blob: [string | null, string | null, number | null];
  readonly started_us: number | null;
  readonly ended_us: number | null;
  readonly ready_us: number;
}

type Row = Scalars & Renamed & SegmentArrays & ListArrays;

/** The live trajectories of a rollout, each attempt, as they were sent; all runs and units unless one is named. */
export async function lookupTrajectories(
  store: Store,
  { rolloutId, runId = '', unit = '' }: { rolloutId: string; runId?: string; unit?: string },
): Promise<TrajectoryInit[]> {
  const where = `rollout_id = {rollout:String} AND {run:String} IN ('', run_id) AND {unit:String} IN ('', unit)`;
  return select(store, `${where} ORDER BY run_id, epoch, attempt`, { rollout: rolloutId, run: runId, unit });
}

/** The live trajectories of rollouts of a run, each attempt, in no order. Ids with a lone surrogate are not found. */
export function lookupTrajectoriesOf(
  store: Store,
  { runId, rolloutIds }: { runId: string; rolloutIds: readonly string[] },
): Promise<TrajectoryInit[]> {
  const where = 'run_id = {run:String} AND rollout_id IN {rollouts:Array(String)}';
  return select(store, where, { run: runId, rollouts: rolloutIds });
}

async function select(store: Store, where: string, params: QueryParams): Promise<TrajectoryInit[]> {
  const rows = await store.query<Row>(
    `SELECT ${SCALARS}, ${RENAMED}, ${segmentSelect}, ${listSelect}
     FROM rollstream.live_trajectories
     WHERE ${where}
     SETTINGS output_format_json_named_tuples_as_objects = 0`,
    params,
  );
  return rows.map(trajectoryOf);
}

function trajectoryOf(row: Row): TrajectoryInit {
  const { audits, stats, blob, started_us, ended_us, ready_us, seg, turn, aux_data, reason, verdict, ...scalars } = row;
  const [tokens, template, tools, termination, numbers, wall, reencode] = audits;
  const [baseline, n, mean, std] = stats;
  const [uri, sha256, length] = blob;
  return {
    ...scalars,
    segments: segmentsOf({ seg }),
    ...listsOf({ turn, aux_data, reason, verdict }),
    audit: { tokens, template, tools, termination, numbers, wall, reencode },
    group_stats: baseline === null || n === null ? null : { baseline, n, mean, std },
    // Rows hold what went to a blob as well, but for the largest (src/lanes/out-records.ts).
    segments_ref: seg.length > 0 || uri === null || sha256 === null || length === null ? null : { uri, sha256, length },
    started_at: started_us,
    ended_at: ended_us,
    ready_at: ready_us,
  };
}
