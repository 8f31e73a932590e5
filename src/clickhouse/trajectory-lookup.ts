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

interface Row extends Scalars, Renamed, SegmentArrays, ListArrays {}

/** The live trajectories of a rollout, each attempt, as they were sent; all runs and units unless one is named. */
export async function lookupTrajectories(
  store: Store,
  { rolloutId, runId = '', unit = '' }: { rolloutId: string; runId?: string; unit?: string },
): Promise<TrajectoryInit[]> {
  const where = `rollout_id = {rollout:String} AND ({run:String} = '' OR run_id = {run:String}) AND ({unit:String} = '' OR unit = {unit:String})`;
  const params = { rollout: rolloutId, run: runId, unit };
  return (await select<Row>(store, LIVE, `${where} ORDER BY run_id, epoch, attempt`, params)).map(trajectoryOf);
}

/** The live trajectories of rollouts of a run, each attempt, in no order. Ids with a lone surrogate are not found. */
export async function lookupTrajectoriesOf(
  store: Store,
  { runId, rolloutIds }: { runId: string; rolloutIds: readonly string[] },
): Promise<TrajectoryInit[]> {
  const where = 'run_id = {run:String} AND rollout_id IN {rollouts:Array(String)}';
  return (await select<Row>(store, LIVE, where, { run: runId, rollouts: rolloutIds })).map(trajectoryOf);
}

/** An attempt by what a parameter can say: an id is the hex of its bytes, since none holds half a character. */
export interface AttemptName {
  readonly unit: string;
  readonly rolloutHex: string;
  readonly attempt: number;
}

/** Those that a replay made of these attempts, in no order. A row that was written twice is given once. */
export async function lookupReplayedTrajectories(
  store: Pick<Store, 'query'>,
  { replayId, attempts }: { readonly replayId: string; readonly attempts: readonly AttemptName[] },
): Promise<Array<AttemptName & { readonly trajectory: TrajectoryInit }>> {
  // The keys of the units first: the table is in their order, and a granule that holds none of them is not read.
  const where = `replay_id = {replay:String}
    AND (run_id, epoch, rollout_id, attempt) IN (
      SELECT run_id, epoch, rollout_id, attempt FROM rollstream.decisions
      WHERE replay_id = {replay:String} AND unit IN {units:Array(String)})
    AND (unit, rollout_id, attempt) IN (
      SELECT wanted.1, wanted.2, wanted.3 FROM (
        SELECT arrayJoin(arrayZip({units:Array(String)}, arrayMap(id -> unhex(id), {rollouts:Array(String)}),
          {attempts:Array(Int32)})) AS wanted))
    ORDER BY version DESC LIMIT 1 BY unit, rollout_id, attempt`;
  const params = {
    replay: replayId,
    units: attempts.map(({ unit }) => unit),
    rollouts: attempts.map(({ rolloutHex }) => rolloutHex),
    attempts: attempts.map(({ attempt }) => attempt),
  };
  const names = ', unit AS of_unit, hex(rollout_id) AS rollout_hex';
  const rows = await select<NamedRow>(store, 'rollstream.trajectories', where, params, names);
  return rows.map(({ of_unit, rollout_hex, ...row }) => ({
    ...{ unit: of_unit, rolloutHex: rollout_hex, attempt: row.attempt ?? 0 },
    trajectory: trajectoryOf(row),
  }));
}

interface NamedRow extends Row {
  readonly of_unit: string;
  readonly rollout_hex: string;
}

const LIVE = 'rollstream.live_trajectories';

function select<Selected extends Row>(
  store: Pick<Store, 'query'>,
  from: string,
  where: string,
  params: QueryParams,
  names = '',
): Promise<Selected[]> {
  return store.query<Selected>(
    `SELECT ${SCALARS}, ${RENAMED}, ${segmentSelect}, ${listSelect}${names}
     FROM ${from}
     WHERE ${where}
     SETTINGS output_format_json_named_tuples_as_objects = 0`,
    params,
  );
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
