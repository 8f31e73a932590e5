import { decidedScope } from './decided-scope.ts';

/** Parquet text is UTF-8; a lone surrogate becomes U+FFFD there. JSON Lines keep it. */
const text = (column: string) => `toValidUTF8(${column})`;
const texts = (column: string) => `arrayMap(x -> toValidUTF8(x), ${column})`;
const named = (list: string, fields: ReadonlyArray<readonly [name: string, type: string, from?: string]>) => `
  CAST(arrayZip(${fields.map(([name, , from]) => from ?? `t.${list}.${name}`).join(', ')}),
    'Array(Tuple(${fields.map(([name, type]) => `${name} ${type}`).join(', ')}))') AS ${list}`;
const safe = (list: string, name: string): string => texts(`t.${list}.${name}`);

const SEGMENTS = named('segments', [
  ['segment_id', 'String', safe('segments', 'segment_id')],
  ['parent_segment_id', 'Nullable(String)', safe('segments', 'parent_segment_id')],
  ['fork_at', 'Nullable(Int32)'],
  ['token_ids', 'Array(UInt32)'],
  ['prompt_len', 'Int32'],
  ['sampled_mask', 'Array(UInt8)'],
  ['loss_mask', 'Array(UInt8)'],
  ['has_logprobs', 'Bool'],
  ['logprobs', 'Array(Float32)'],
  [
    'weight_spans',
    'Array(Tuple(start Int32, version String))',
    'arrayMap((s, v) -> arrayZip(s, arrayMap(x -> toValidUTF8(x), v)), t.segments.weight_starts, t.segments.weight_versions)',
  ],
]);
const TURNS = named('turns', [
  ['turn', 'Int32'],
  ['segment_id', 'String', safe('turns', 'segment_id')],
  ['start', 'Int32'],
  ['end', 'Int32'],
  ['call_id', 'String', safe('turns', 'call_id')],
  ['finish_reason', 'Nullable(String)', safe('turns', 'finish_reason')],
  ['temperature', 'Nullable(Float64)'],
  ['top_p', 'Nullable(Float64)'],
  ['logprobs_mode', 'String'],
  ['reward', 'Nullable(Float64)'],
]);
const AUX = named('aux', [
  ['turn', 'Int32'],
  ['name', 'String', safe('aux', 'name')],
  ['uri', 'String', safe('aux', 'uri')],
  ['sha256', 'Nullable(String)'],
  ['shape', 'Array(Int32)'],
  ['dtype', 'String'],
]);
const REASONS = named('reasons', [
  ['code', 'String'],
  ['category', 'String'],
  ['raw', 'String', safe('reasons', 'raw')],
  ['system', 'String', safe('reasons', 'system')],
  ['detail', 'Nullable(String)', safe('reasons', 'detail')],
  ['attribution', 'Nullable(String)'],
  ['after_end', 'Bool'],
]);
const VERDICTS = named('verdicts', [
  ['scorer', 'String', safe('verdicts', 'scorer')],
  ['scorer_version', 'String', safe('verdicts', 'scorer_version')],
  ['status', 'String'],
  ['rewards', 'Map(String, Nullable(Float64))'],
  ['bound_to', 'Nullable(Int32)'],
]);
const AUDITS = ['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'];

/** Names as in `ready --json`; where Parquet has no null for a list or a struct, a flag or columns of their own say it. */
const COLUMNS = `
  ${text('t.run_id')} AS run_id, t.purpose AS purpose, ${text('t.env_name')} AS env_name, ${text('t.task_id')} AS task_id,
  t.epoch AS epoch, ${text('t.group_id')} AS group_id, t.group_size_expected AS group_size_expected,
  t.group_size_actual AS group_size_actual, t.group_index AS group_index, ${text('t.rollout_id')} AS rollout_id,
  t.attempt AS attempt, ${SEGMENTS}, ${TURNS}, ${AUX}, ${REASONS}, t.category AS category,
  d.reason_code AS reason_code, ${text('t.finish_reason')} AS finish_reason, ${VERDICTS},
  d.verifier_status AS verifier_status, t.reward AS reward, t.reward_valid AS reward_valid,
  t.reward_components AS reward_components, t.advantage AS advantage, t.group_baseline AS group_baseline,
  t.group_n AS group_n, t.group_mean AS group_mean, t.group_std AS group_std, t.in_loss AS in_loss,
  t.in_baseline AS in_baseline, t.disposition AS disposition, ${texts('t.why')} AS why, d.rule AS rule,
  d.conflicts AS conflicts, t.policy_id AS policy_id, t.taxonomy_id AS taxonomy_id, t.score_id AS score_id,
  t.supersedes AS supersedes,
  CAST(tuple(${AUDITS.map((audit) => `t.audit_${audit}`).join(', ')}),
    'Tuple(${AUDITS.map((audit) => `${audit} String`).join(', ')})') AS audit,
  CAST(t.audit_missing, 'Map(String, String)') AS audit_missing, t.wall_ms AS wall_ms, t.segment_count AS segment_count,
  t.segment_loss_tokens AS segment_loss_tokens, t.rollout_loss_tokens AS rollout_loss_tokens,
  ${text('t.weights_version_min')} AS weights_version_min, ${text('t.weights_version_max')} AS weights_version_max,
  t.lag AS lag, ${text('t.task_metadata')} AS task_metadata, t.tokenizer_sha256 AS tokenizer_sha256,
  t.template_sha256 AS template_sha256, t.tool_calls_unanswered AS tool_calls_unanswered,
  t.tool_results_unasked AS tool_results_unasked, t.segments_uri AS segments_uri, t.segments_sha256 AS segments_sha256,
  t.segments_length AS segments_length, d.n_turns AS n_turns, d.n_tokens AS n_tokens,
  d.n_sampled_tokens AS n_sampled_tokens, t.started_at AS started_at, t.ended_at AS ended_at, t.ready_at AS ready_at,
  t.partition AS partition, t.first_offset AS first_offset, t.last_offset AS last_offset`;

/** Trajectories with what their decisions say besides, in the order in which they were decided. */
export function parquetSelect(all: boolean): string {
  return `SELECT ${COLUMNS}
FROM rollstream.live_trajectories AS t
INNER JOIN (SELECT * FROM rollstream.live_decisions WHERE ${decidedScope(all)}) AS d
  ON d.run_id = t.run_id AND d.unit = t.unit AND d.rollout_id = t.rollout_id AND d.attempt = t.attempt
WHERE t.run_id = {run:String}
ORDER BY d.decided_at, d.partition, d.offset, d.unit, d.rollout_id, d.attempt`;
}
