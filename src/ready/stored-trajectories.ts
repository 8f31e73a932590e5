import type { Store } from '../clickhouse/port.ts';
import type { SegmentJson, TrajectoryJson } from './trajectory-json.ts';

interface StoredSegment extends Omit<SegmentJson, 'logprobs' | 'weight_spans'> {
  readonly has_logprobs: boolean;
  readonly logprobs: readonly number[];
  readonly weight_starts: readonly number[];
  readonly weight_versions: readonly string[];
}

interface StoredTrajectory extends Omit<TrajectoryJson, 'segments' | 'group_stats' | 'segments_ref'> {
  readonly segments: readonly StoredSegment[];
  readonly group_baseline: string | null;
  readonly group_n: number | null;
  readonly group_mean: number | null;
  readonly group_std: number | null;
  readonly segments_uri: string | null;
  readonly segments_sha256: string | null;
  readonly segments_length: number | null;
}

/** A list of the store: an array a field becomes an object an element. */
function list(name: string, fields: Readonly<Record<string, string>>): string {
  const names = Object.keys(fields);
  const parameters = names.map((_, index) => `x${index}`);
  const type = Object.entries(fields).map(([field, typeName]) => `\`${field}\` ${typeName}`);
  const arrays = names.map((field) => `\`${name}.${field}\``);
  return `arrayMap((${parameters}) -> CAST(tuple(${parameters}) AS Tuple(${type})), ${arrays}) AS \`${name}\``;
}

const LISTS = [
  list('segments', {
    segment_id: 'String',
    parent_segment_id: 'Nullable(String)',
    fork_at: 'Nullable(Int32)',
    token_ids: 'Array(UInt32)',
    prompt_len: 'Int32',
    sampled_mask: 'Array(UInt8)',
    loss_mask: 'Array(UInt8)',
    has_logprobs: 'Bool',
    logprobs: 'Array(Float32)',
    weight_starts: 'Array(Int32)',
    weight_versions: 'Array(String)',
  }),
  list('turns', {
    turn: 'Int32',
    segment_id: 'String',
    start: 'Int32',
    end: 'Int32',
    call_id: 'String',
    finish_reason: 'Nullable(String)',
    temperature: 'Nullable(Float64)',
    top_p: 'Nullable(Float64)',
    logprobs_mode: 'String',
    reward: 'Nullable(Float64)',
  }),
  list('aux', {
    turn: 'Int32',
    name: 'String',
    uri: 'String',
    sha256: 'Nullable(String)',
    shape: 'Array(Int32)',
    dtype: 'String',
  }),
  list('reasons', {
    code: 'String',
    category: 'String',
    raw: 'String',
    system: 'String',
    detail: 'Nullable(String)',
  }),
  list('verdicts', {
    scorer: 'String',
    scorer_version: 'String',
    status: 'String',
    rewards: 'Map(String, Nullable(Float64))',
    bound_to: 'Nullable(Int32)',
  }),
];

const AUDITS = ['tokens', 'template', 'tools', 'termination', 'numbers', 'wall'];

const COLUMNS = [
  ...['run_id', 'purpose', 'env_name', 'task_id', 'epoch', 'group_id', 'group_size', 'rollout_id', 'attempt'],
  ...LISTS,
  ...['category', 'finish_reason', 'reward', 'reward_valid', 'reward_components', 'advantage'],
  ...['group_baseline', 'group_n', 'group_mean', 'group_std', 'in_loss', 'in_baseline', 'disposition', 'why'],
  ...['policy_id', 'taxonomy_id', 'score_id', 'supersedes'],
  `CAST(tuple(${AUDITS.map((audit) => `audit_${audit}`)}) AS Tuple(${AUDITS.map((audit) => `${audit} String`)})) AS audit`,
  ...['wall_ms', 'group_size_expected', 'group_size_actual', 'group_index', 'segment_count', 'segment_loss_tokens'],
  ...['rollout_loss_tokens', 'weights_version_min', 'weights_version_max', 'task_metadata', 'tokenizer_sha256'],
  ...['template_sha256', 'tool_calls_unanswered', 'tool_results_unasked'],
  ...['segments_uri', 'segments_sha256', 'segments_length'],
  ...['started_at', 'ended_at', 'ready_at'].map((time) => `toUnixTimestamp64Micro(t.${time}) AS ${time}`),
  ...['partition', 'first_offset', 'last_offset'],
];

/** The attempts of a rollout as the store keeps them, in the shape of `ready --json`. */
export async function storedTrajectories(
  store: Store,
  rollout: { readonly runId: string; readonly epoch: number; readonly rolloutId: string },
): Promise<TrajectoryJson[]> {
  const rows = await store.query<StoredTrajectory>(
    `SELECT ${COLUMNS.join(',\n')}
    FROM rollstream.live_trajectories AS t
    WHERE run_id = {run:String} AND epoch = {epoch:Int32} AND rollout_id = {rollout:String}
    ORDER BY attempt`,
    { run: rollout.runId, epoch: rollout.epoch, rollout: rollout.rolloutId },
  );
  return rows.map(trajectoryOf);
}

function trajectoryOf(row: StoredTrajectory): TrajectoryJson {
  const { group_baseline, group_n, group_mean, group_std, segments_uri, segments_sha256, segments_length, ...rest } =
    row;
  return {
    ...rest,
    segments: row.segments.map(segmentOf),
    group_stats:
      group_baseline === null ? null : { baseline: group_baseline, n: group_n ?? 0, mean: group_mean, std: group_std },
    segments_ref:
      segments_uri === null ? null : { uri: segments_uri, sha256: segments_sha256 ?? '', length: segments_length ?? 0 },
  };
}

function segmentOf(segment: StoredSegment): SegmentJson {
  const { has_logprobs, logprobs, weight_starts, weight_versions, ...rest } = segment;
  return {
    ...rest,
    // The store prints the shortest text of a float32; as a double it would be another number.
    logprobs: has_logprobs ? logprobs.map(Math.fround) : null,
    weight_spans: weight_starts.map((start, index) => ({ start, version: weight_versions[index] ?? '' })),
  };
}
