import { type Columns, insertSql, SHAPE } from './analytics-insert.ts';
import { random } from './analytics-shape.ts';
import { FINDINGS, sums, WORLDS } from './analytics-world.ts';

export interface Ids {
  readonly seed: number;
  readonly topic: string;
  readonly policyId: string;
  readonly taxonomyId: string;
}

const IDENTITY: Columns = {
  ...{ run_id: 'run_id', purpose: 'purpose', env_name: 'env_name', task_id: 'task_id', epoch: 'epoch' },
  ...{ group_id: 'group_id', group_size: '8', rollout_id: 'rollout_id', attempt: 'a' },
};
const KEY: Columns = { run_id: 'run_id', epoch: 'epoch', unit: 'unit', rollout_id: 'rollout_id', attempt: 'a' };
const TIMES: Columns = { event_time: 'event_time', started_at: 'started_at', ended_at: 'ended_at' };

/** Where a row comes from, and who wrote it. */
export function causedAt(topic: string, offset: string): Columns {
  const version = `toUInt64(term) * 281474976710656 + toUInt64(${offset})`;
  return { topic: `'${topic}'`, partition: 'partition', offset, term: 'term', version };
}

const micros = (us: string): string => `fromUnixTimestamp64Micro(${us}, 'UTC')`;
const hex = (text: string, length: number): string => `lower(substring(hex(sipHash128(${text})), 1, ${length}))`;
const CONFLICT = `concat('the loop says ', code, ', the engine cut its last call')`;
const FINISH = `multiIf(code IN ('output_tokens', 'context_overflow', 'termination_conflict'), 'length', category IN ('infra_fault', 'harness_fault'), NULL, 'stop')`;
const VERDICT = `multiIf(code = 'verifier_timeout', 'timeout', code = 'reward_missing', 'missing', isNull(reward), 'none', 'scored')`;
const SCORER_VERSION = `if(g % 40 = 0, '2', '1')`;
const SCORE_ID = hex(`concat(rollout_id, toString(a))`, 32);
/** Milliseconds by part of the wall clock; after the end come the verifier and the clean-up. */
const WALL = `if(is_timeless, map(), mapFilter((name, ms) -> ms > 0, mapFromArrays(
  ['model', 'tool_wait', 'sandbox_setup', 'rate_limit', 'weight_sync', 'cpu', 'other', 'verify', 'cleanup', 'total'],
  arrayConcat(arrayMap((part) -> round(part * duration_us) / 1000, wall),
    [round((1 - arraySum(wall)) * duration_us) / 1000, if(isNull(reward), 0, 400 + r % 1700), if(wall[3] > 0, 150 + r % 900, 0), duration_us / 1000]))))`;

function attempts(topic: string): Columns {
  return {
    ...IDENTITY,
    unit: 'unit',
    event_id: `concat(rollout_id, '.', toString(a), '.0')`,
    producer_id: `concat('worker-', toString(g % 24))`,
    source_format: `'rollstream'`,
    source_version: `'python'`,
    weights_version: 'weights_min',
    ...TIMES,
    appended_at: micros('begin_us'),
    ...causedAt(topic, 'first_offset'),
  };
}

function decisions({ topic, policyId, taxonomyId }: Ids): Columns {
  return {
    ...IDENTITY,
    unit: 'unit',
    ...{
      reason_code: 'code',
      reason_raw: 'raw',
      category: 'category',
      finish_reason: FINISH,
      verifier_status: VERDICT,
    },
    ...{ disposition: 'disposition', why: 'why', rule: `concat('codes.', code)` },
    conflicts: `if(code = 'termination_conflict' OR (code = 'task_complete' AND r % 131 = 0), [${CONFLICT}], [])`,
    infra_share: `if(is_timeless, NULL, wall[3] + wall[4] + wall[5])`,
    policy_share: `if(is_timeless, NULL, wall[1])`,
    ...{ reward: 'reward', reward_valid: 'isNotNull(reward)', advantage: ADVANTAGE, in_loss: 'in_loss' },
    ...{ in_baseline: 'in_baseline', counts_for_size: 'in_baseline', held: 'is_ready AND step % 50 = 7' },
    ...{ policy_id: `'${policyId}'`, taxonomy_id: `'${taxonomyId}'`, score_id: SCORE_ID },
    ...{ weights_version_min: 'weights_min', weights_version_max: 'weights_max', lag: 'lag' },
    ...{ n_turns: 'calls', n_tokens: 'tokens', n_sampled_tokens: 'sampled_tokens' },
    ...TIMES,
    decided_at: micros('decided_us'),
    first_offset: 'first_offset',
    ...causedAt(topic, 'closing_offset'),
  };
}

const ADVANTAGE = `if(is_ready AND in_baseline, (reward - group_mean) / (if(isNaN(ifNull(group_std, 0)), 0, ifNull(group_std, 0)) + 0.000001), NULL)`;

/** Tokens are few: 6 of the prompt, and 2 a call. */
function trajectories(ids: Ids): Columns {
  const turns = 'range(toUInt32(calls))';
  const ofTurns = (value: string) => `arrayMap((turn) -> ${value}, ${turns})`;
  const length = 'toUInt32(6 + 2 * calls)';
  return {
    ...IDENTITY,
    unit: 'unit',
    'segments.segment_id': `['main']`,
    'segments.parent_segment_id': '[NULL]',
    'segments.fork_at': '[NULL]',
    'segments.token_ids': `[arrayMap((at) -> toUInt32(100 + (r + at * 7919) % 151000), range(${length}))]`,
    'segments.prompt_len': '[6]',
    'segments.sampled_mask': `[arrayMap((at) -> toUInt8(at >= 6), range(${length}))]`,
    'segments.loss_mask': `[arrayMap((at) -> toUInt8(at >= 6 AND in_loss), range(${length}))]`,
    'segments.has_logprobs': '[false]',
    'segments.logprobs': '[[]]',
    'segments.weight_starts': `[if(isNull(weights_min), [], [6])]`,
    'segments.weight_versions': `[if(isNull(weights_min), [], [assumeNotNull(weights_min)])]`,
    ...{ 'turns.turn': ofTurns('toInt32(turn)'), 'turns.segment_id': ofTurns(`'main'`) },
    ...{ 'turns.start': ofTurns('toInt32(6 + 2 * turn)'), 'turns.end': ofTurns('toInt32(8 + 2 * turn)') },
    ...{
      'turns.call_id': ofTurns(`concat('call-', toString(turn))`),
      'turns.finish_reason': ofTurns(`if(turn + 1 = calls, ${FINISH}, 'tool_calls')`),
    },
    ...{
      'turns.temperature': ofTurns('1'),
      'turns.top_p': ofTurns('1'),
      'turns.logprobs_mode': ofTurns(`'unknown'`),
      'turns.reward': ofTurns('NULL'),
    },
    ...{
      'reasons.code': '[code]',
      'reasons.category': '[category]',
      'reasons.raw': '[raw]',
      'reasons.system': '[system]',
      'reasons.detail': '[NULL]',
    },
    'reasons.attribution': `[multiIf(code IN ('tool_timeout', 'out_of_memory'), ['policy', 'env', 'unknown'][1 + r % 3], NULL)]`,
    'reasons.after_end': '[false]',
    ...{
      'verdicts.scorer': `if(${VERDICT} = 'none', [], ['judge'])`,
      'verdicts.scorer_version': `if(${VERDICT} = 'none', [], [${SCORER_VERSION}])`,
    },
    'verdicts.status': `if(${VERDICT} = 'none', [], [${VERDICT}])`,
    'verdicts.rewards': `if(${VERDICT} = 'none', [], [map('correct', reward)])`,
    'verdicts.bound_to': `if(${VERDICT} = 'none', [], [NULL])`,
    ...{ category: 'category', finish_reason: FINISH, reward: 'reward', reward_valid: 'isNotNull(reward)' },
    reward_components: `if(isNull(reward), map(), map('correct', reward))`,
    ...{ advantage: ADVANTAGE, group_baseline: `if(is_ready, 'grpo', NULL)`, group_n: 'if(is_ready, group_n, NULL)' },
    ...{
      group_mean: 'if(is_ready, group_mean, NULL)',
      group_std: 'if(is_ready AND NOT isNaN(ifNull(group_std, nan)), group_std, NULL)',
    },
    ...{ in_loss: 'in_loss', in_baseline: 'in_baseline', disposition: 'disposition', why: 'why' },
    ...{ policy_id: `'${ids.policyId}'`, taxonomy_id: `'${ids.taxonomyId}'`, score_id: SCORE_ID },
    ...Object.fromEntries(FINDINGS.map(({ audit }) => [`audit_${audit}`, `'pass'`])),
    wall_ms: WALL,
    ...{
      group_size_expected: '8',
      group_size_actual: 'if(is_ready, group_n, NULL)',
      group_index: 'if(is_ready, m, NULL)',
    },
    ...{
      segment_count: '1',
      segment_loss_tokens: '[if(in_loss, 2 * calls, 0)]',
      rollout_loss_tokens: 'if(in_loss, 2 * calls, 0)',
    },
    ...{ weights_version_min: 'weights_min', weights_version_max: 'weights_max', lag: 'lag' },
    ...TIMES,
    ...{ first_offset: 'first_offset', last_offset: 'closing_offset', ready_at: micros('decided_us') },
    ...causedAt(ids.topic, 'closing_offset'),
  };
}

/** A row a finding, or one that says how an audit without any went. */
function audits({ seed, topic }: Ids): string {
  const classes = FINDINGS.map((one) => one.classes);
  const list = (values: ReadonlyArray<readonly (string | number)[]>) => JSON.stringify(values).replaceAll('"', "'");
  const bounds = classes.map((some) => sums(some.map(([, , share]) => share)));
  const from = `(
    SELECT *, arrayJoin(range(1, ${FINDINGS.length + 1})) AS k, ${random(seed, 'r, a, k', 40)} AS u,
      ${list([FINDINGS.map(({ audit }) => audit)])}[1][k] AS audit,
      ${list(classes.map((some) => some.map(([name]) => name)))}[k] AS names,
      multiIf(
        has(names, why[1]), indexOf(names, why[1]),
        audit = 'termination' AND has(names, code), indexOf(names, code),
        arrayFirstIndex((bound) -> u < bound, ${list(bounds)}[k])) AS i,
      u > 1 - ${list([FINDINGS.map(({ blind }) => blind[0])])}[1][k] AS is_blind,
      ${list(classes.map((some) => some.map(([, severity]) => severity)))}[k][i] AS severity
    FROM ${SHAPE} WHERE NOT is_open AND disposition != 'superseded')`;
  return insertSql(
    'audits',
    {
      ...KEY,
      audit: 'audit',
      result: `multiIf(i > 0, severity, is_blind, 'not_auditable', 'pass')`,
      class: 'names[i]',
      severity: `if(i > 0, severity, 'warn')`,
      turn: `if(i > 0 AND audit IN ('tokens', 'template', 'tools', 'reencode'), toInt32(r % calls), -1)`,
      index: `if(i > 0 AND audit IN ('tokens', 'template', 'tools'), toInt64(r % 211), -1)`,
      detail: `multiIf(i > 0, concat(names[i], ' in call ', toString(r % calls)), is_blind, ${list([FINDINGS.map(({ blind }) => blind[1])])}[1][k], '')`,
      ids: `if(i > 0 AND audit = 'tokens', [toUInt32(r % 1000), 13], [])`,
      expected_ids: `if(i > 0 AND audit = 'tokens', [toUInt32(r % 1000), 198], [])`,
      text: `if(i > 0 AND audit = 'tools', '{"path": "a.txt"}', '')`,
      expected_text: `if(i > 0 AND audit = 'tools', '{"path": "b.txt"}', '')`,
      event_time: 'event_time',
      started_at: 'started_at',
      ...causedAt(topic, 'closing_offset'),
    },
    from,
  );
}

/** Statements that write all but the steps and what the trainer did. */
export function rowStatements(ids: Ids): string[] {
  const decided = `${SHAPE} WHERE NOT is_open`;
  const caused = causedAt(ids.topic, 'closing_offset');
  return [
    insertSql('attempts', attempts(ids.topic), SHAPE),
    insertSql('decisions', decisions(ids), decided),
    insertSql('trajectories', trajectories(ids), `${decided} AND disposition != 'superseded'`),
    insertSql(
      'rewards',
      {
        ...{
          ...KEY,
          scorer: `'judge'`,
          scorer_version: SCORER_VERSION,
          turn: '-1',
          component: `'correct'`,
          value: 'reward',
        },
        ...{
          status: VERDICT,
          policy_id: `'${ids.policyId}'`,
          score_id: SCORE_ID,
          event_time: 'event_time',
          started_at: 'started_at',
        },
        ...caused,
      },
      `${decided} AND ${VERDICT} != 'none'`,
    ),
    audits(ids),
    insertSql(
      'verdicts',
      verdicts(ids),
      `(SELECT *, arrayJoin(if(g % 33 = 0, [1, 2], [1])) AS nth FROM ${SHAPE}) WHERE NOT is_open AND ${VERDICT} != 'none'`,
    ),
  ];
}

/** Of one group in 33 a second version of the scorer looked again, and does not always agree. */
function verdicts({ topic }: Ids): Columns {
  return {
    ...{
      ...IDENTITY,
      unit: 'unit',
      segment_id: `'main'`,
      seq: '-1',
      event_id: `concat(rollout_id, '.', toString(a), '.verdict', toString(nth))`,
    },
    ...{
      producer_id: `'verifier'`,
      source_format: `'rollstream'`,
      scorer: `'judge'`,
      scorer_version: `if(nth = 2, '3', ${SCORER_VERSION})`,
    },
    ...{
      status: VERDICT,
      rewards: `map('correct', if(nth = 2 AND r % 7 = 0, 1 - reward, reward))`,
      duration_us: '300000 + r % 90000',
    },
    ...TIMES,
    appended_at: micros('end_us + 500000'),
    ...causedAt(topic, `first_offset`),
    cause: 'first_offset',
  };
}

/** Names of the tools by environment, for the statements. */
export const TOOLS = JSON.stringify(WORLDS.map(({ tools }) => tools)).replaceAll('"', "'");
