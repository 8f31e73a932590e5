import { insertSql, SHAPE } from './analytics-insert.ts';
import { causedAt, type Ids, TOOLS } from './analytics-rows.ts';
import { random } from './analytics-shape.ts';

/**
 * The events of each attempt: start, the set-up of its sandbox, calls with a tool result between two of them, end, verdict, and the
 * clean-up. Durations share out the parts of its wall clock.
 */
export function stepStatements(ids: Ids): string[] {
  const { seed, topic } = ids;
  const u = random(seed, 'r, a, seq', 60);
  const isCall = `kind = 'model_call'`;
  const isTool = `kind = 'tool_result'`;
  const isWarm = 'wall[3] > 0';
  // seq: start 0, set-up 1 if any, then call, result, call …, end.
  const steps = `(
    SELECT
      *,
      toUInt32(${isWarm}) AS warm,
      toUInt32(if(is_open, 1, 2 * calls - 1)) AS between,
      toUInt32(2 + warm + between) AS later,
      -- What has no place comes first in the order of the table.
      arrayJoin(if(is_open, range(later - 1), arrayConcat(range(later, toUInt32(later + has_verdict + warm)), range(later)))) AS at,
      multiIf(at = 0, 'start', warm = 1 AND at = 1, 'phase', at <= warm + between, if((at - warm) % 2 = 1, 'model_call', 'tool_result'),
        at < later, 'end', has_verdict AND at = later, 'verdict', 'phase') AS kind,
      if(at >= later, -1, toInt32(at)) AS seq,
      toInt32(intDiv(at - warm - 1, 2)) AS turn,
      isNotNull(reward) OR category = 'verifier_fault' AS has_verdict,
      ${u} AS u,
      ${TOOLS}[w] AS tools,
      tools[1 + cityHash64(r, turn) % length(tools)] AS tool,
      multiIf(kind = 'model_call', toInt64(wall[1] * duration_us / calls * (0.5 + u)), kind = 'tool_result', toInt64(wall[2] * duration_us / greatest(1, calls - 1) * (0.5 + u)),
        kind = 'phase' AND seq >= 0, toInt64(wall[3] * duration_us), kind = 'phase', toInt64(150000 + 900000 * u), kind = 'end', duration_us,
        kind = 'verdict', toInt64(400000 + 1700000 * u), 0) AS took_us,
      multiIf(seq < 0, end_us, kind = 'end', end_us, begin_us + toInt64(duration_us * (at / later))) AS from_us,
      concat('call-', toString(turn)) AS call,
      multiIf(u > 0.995, 'timeout', u > 0.985, 'sandbox_error', u > 0.93, 'tool_error', 'ok') AS tool_status,
      has(['silent_repair'], why[1]) AND turn = r % calls AS is_repaired
    FROM ${SHAPE})`;
  const health = `if(g % 5 = 0, NULL, concat('{"producer":{"actor":"worker-', toString(g % 24), '","pid":', toString(4000 + g % 24), ',"host":"node-', toString(g % 6),
    '","in_flight":', toString(16 + (g % 24) * 2 + toUInt32(32 * progress_of)), if(kind = 'end', concat(',"sandbox_us":', toString(toInt64(wall[3] * duration_us)),
    ',"loop_lag_ms":{"mean":', toString(round(2 + 6 * u, 1)), ',"max":', toString(round(20 + 90 * u, 1)), ',"n":', toString(1 + intDiv(duration_us, 250000)), '}'), ''), '}}'))`;
  const columns = {
    ...{
      run_id: 'run_id',
      purpose: 'purpose',
      env_name: 'env_name',
      task_id: 'task_id',
      epoch: 'epoch',
      group_id: 'group_id',
      group_size: '8',
    },
    ...{ rollout_id: 'rollout_id', attempt: 'a', unit: 'unit', segment_id: `'main'`, seq: 'seq' },
    event_id: `concat(rollout_id, '.', toString(a), '.', leftPad(toString(at), 2, '0'))`,
    unsequenced_id: `if(seq < 0, concat(rollout_id, '.', toString(a), '.', leftPad(toString(at), 2, '0')), '')`,
    producer_id: `if(kind = 'verdict', 'verifier', concat('worker-', toString(g % 24)))`,
    kind: 'kind',
    event_time: `if(is_timeless, fromUnixTimestamp64Micro(toInt64(0), 'UTC'), fromUnixTimestamp64Micro(from_us, 'UTC'))`,
    started_at: `if(is_timeless, NULL, fromUnixTimestamp64Micro(from_us, 'UTC'))`,
    ended_at: `if(is_timeless, NULL, fromUnixTimestamp64Micro(from_us + if(kind = 'end', 0, took_us), 'UTC'))`,
    duration_us: `if(kind = 'start' OR is_timeless, NULL, took_us)`,
    ...{ source_format: `'rollstream'`, source_version: `'python'` },
    extra_json: `if(kind IN ('start', 'end'), ${health.replace('progress_of', 'r / 1000 % 1')}, NULL)`,
    text: `multiIf(kind = 'start', concat('Solve ', task_id, '.'), ${isCall}, concat('Let me look (', toString(turn), ').'), ${isTool}, 'done', NULL)`,
    call_id: `if(${isCall} OR ${isTool}, call, NULL)`,
    status: `multiIf(${isTool}, tool_status, kind = 'verdict', multiIf(code = 'verifier_timeout', 'timeout', code = 'reward_missing', 'missing', 'scored'), '')`,
    has_error: `${isTool} AND tool_status != 'ok'`,
    error_type: `if(${isTool} AND tool_status != 'ok', tool_status, NULL)`,
    model: `if(${isCall}, model, NULL)`,
    replica: `if(${isCall}, concat('engine-', toString(g % 8)), NULL)`,
    prompt_prefix_len: `if(${isCall}, toInt32(turn * 900 + if(turn > 0, 700, 0)), NULL)`,
    has_prompt_delta_ids: isCall,
    prompt_delta_ids: `if(${isCall}, arrayMap((n) -> toUInt32(r % 1000 + n), range(toUInt32(4 + 12 * u))), [])`,
    has_completion_ids: isCall,
    completion_ids: `if(${isCall}, arrayMap((n) -> toUInt32(r % 1000 + 7 * n), range(toUInt32(8 + 40 * u * u))), [])`,
    logprobs_mode: `if(${isCall}, 'unknown', '')`,
    'weight_spans.start': `if(${isCall} AND isNotNull(weights_min), [0], [])`,
    'weight_spans.version': `if(${isCall} AND isNotNull(weights_min), [assumeNotNull(weights_min)], [])`,
    finish_reason: `multiIf(NOT ${isCall}, NULL, turn + 1 < calls, 'tool_calls', code IN ('output_tokens', 'context_overflow', 'termination_conflict'), 'length', 'stop')`,
    queue_us: `if(${isCall}, toInt64(took_us * 0.03 * u), NULL)`,
    prefill_us: `if(${isCall}, toInt64(took_us * 0.1), NULL)`,
    decode_us: `if(${isCall}, toInt64(took_us * 0.8), NULL)`,
    server_e2e_us: `if(${isCall}, toInt64(took_us * 0.95), NULL)`,
    ...ofToolCalls(`${isCall} AND turn + 1 < calls`),
    tool_name: `if(${isTool}, tool, NULL)`,
    tool_turn: `if(${isTool}, turn, NULL)`,
    executed_arguments: `if(${isTool}, '{"path":"a.txt"}', NULL)`,
    exit_code: `if(${isTool} AND tool IN ('bash', 'python'), if(tool_status = 'tool_error', 1, 0), NULL)`,
    wait_us: `if(${isTool}, toInt64(took_us * if(w = 1, 0.35, 0.1) * u), NULL)`,
    exec_us: `if(${isTool}, took_us - toInt64(took_us * if(w = 1, 0.35, 0.1) * u), NULL)`,
    phase: `if(kind = 'phase', if(seq >= 0, 'sandbox_setup', 'cleanup'), '')`,
    'reasons.raw': `if(kind = 'end', [raw], [])`,
    'reasons.system': `if(kind = 'end', [system], [])`,
    'reasons.detail': `if(kind = 'end', [NULL], [])`,
    'reasons.after_end': `if(kind = 'end', [false], [])`,
    weights_version: `if(kind = 'start', weights_min, NULL)`,
    detail_json: `if(${isCall}, concat('{"usage":{"prompt_tokens":', toString(900 * (turn + 1)), ',"completion_tokens":', toString(intDiv(sampled_tokens, calls)), '}}'), '')`,
    appended_at: `fromUnixTimestamp64Micro(from_us + took_us, 'UTC')`,
    ...causedAt(topic, 'first_offset + at'),
    cause: 'first_offset + at',
  };
  return [insertSql('steps', columns, steps), faults(ids)];
}

/** A call names one tool. Malformed and repaired ones are rare. */
function ofToolCalls(asks: string): Record<string, string> {
  const status = `multiIf(is_repaired, 'repaired', u > 0.985, 'malformed', u < 0.002, 'unknown_tool', 'ok')`;
  return {
    'tool_calls.call_id': `if(${asks}, [call], [])`,
    'tool_calls.name': `if(${asks}, [tool], [])`,
    'tool_calls.arguments_raw': `if(${asks}, ['{"path": "a.txt"}'], [])`,
    'tool_calls.arguments_parsed': `if(${asks}, [if(${status} = 'malformed', NULL, '{"path":"a.txt"}')], [])`,
    'tool_calls.char_start': `if(${asks}, [NULL], [])`,
    'tool_calls.char_end': `if(${asks}, [NULL], [])`,
    'tool_calls.parse_status': `if(${asks}, [${status}], [])`,
    'tool_calls.parser': `if(${asks}, ['hermes'], [])`,
  };
}

/** Starts that came twice, and a few that their group refused. */
function faults({ topic }: Ids): string {
  return insertSql(
    'step_faults',
    {
      reason: `if(r % 1999 = 5, 'group_overfull', 'duplicate')`,
      ...{
        run_id: 'run_id',
        purpose: 'purpose',
        env_name: 'env_name',
        task_id: 'task_id',
        epoch: 'epoch',
        group_id: 'group_id',
        group_size: '8',
      },
      rollout_id: `if(r % 1999 = 5, concat(rollout_id, '.more'), rollout_id)`,
      ...{
        attempt: 'a',
        unit: 'unit',
        segment_id: `'main'`,
        seq: '0',
        event_id: `concat(rollout_id, '.', toString(a), '.0')`,
        kind: `'start'`,
      },
      ...{ event_time: 'event_time', started_at: 'started_at', source_format: `'rollstream'` },
      appended_at: `fromUnixTimestamp64Micro(begin_us, 'UTC')`,
      ...causedAt(topic, 'first_offset + 40'),
      cause: 'first_offset + 40',
    },
    `${SHAPE} WHERE r % 200 = 5 AND NOT is_open`,
  );
}
