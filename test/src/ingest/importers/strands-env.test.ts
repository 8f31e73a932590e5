import { describe, expect, test } from 'vitest';
import { strandsEnv } from '../../../../src/ingest/importers/strands-env.ts';
import { eventsOf, floatsOf, idsOf, only, refusalOf, sha256 } from './imported.ts';

/** A line of the current shape: one call, four prompt tokens and two sampled ones. */
function currentLine(change: { task?: object; result?: object; rollout?: object; line?: object } = {}) {
  return {
    task: {
      id: 'p1_0',
      message: '2+2?',
      ground_truth: '4',
      conversation_history: [],
      trace_attributes: null,
      ...change.task,
    },
    result: {
      messages: [
        { role: 'user', content: [{ text: '2+2?' }] },
        {
          role: 'assistant',
          content: [{ text: '4' }],
          metadata: {
            usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6, cacheReadInputTokens: 0 },
            metrics: { latencyMs: 120 },
          },
        },
      ],
      rollout: {
        token_ids: [9, 17, 10, 17, 19, 99],
        loss_mask: [0, 0, 0, 0, 1, 1],
        logprobs: [null, -3.1, -0.5, -1.2, -0.01, -0.02],
        routed_experts: [],
        image_data: [],
        segment_info: [
          [false, 4],
          [true, 2],
        ],
        ...change.rollout,
      },
      metrics: { model_calls: 1, reward_latency_s: 0.002 },
      reward_result: { reward: 1.0, info: { matched: true } },
      termination_reason: 'task_complete',
      ...change.result,
    },
    aborted: false,
    prompt_id: 'p1',
    ...change.line,
  };
}

/** The same rollout as early versions wrote it. */
function legacyLine(tokens: object | null = {}) {
  const { result, task } = currentLine();
  return {
    action: { message: '2+2?', task_context: { id: task.id, ground_truth: '4', conversation_history: [] } },
    step_result: {
      observation: {
        messages: result.messages,
        tokens: tokens && {
          token_ids: result.rollout.token_ids,
          prompt_length: 4,
          loss_mask: result.rollout.loss_mask,
          logprobs: result.rollout.logprobs,
          ...tokens,
        },
        metrics: result.metrics,
        routed_experts: null,
      },
      reward: result.reward_result,
      termination_reason: 'task_complete',
    },
    aborted: false,
    prompt_id: 'p1',
  };
}

/** What both shapes of that line have to become. */
const ONE_CALL = { prompt: [9, 17, 10, 17], completion: [19, 99], logprobs: [-0.01, -0.02].map(Math.fround) };

function callOf(events: Awaited<ReturnType<typeof eventsOf>>) {
  const call = only(events, 'model_call')[0]?.model_call;
  return {
    prompt: idsOf(call?.prompt_delta_ids),
    completion: idsOf(call?.completion_ids),
    logprobs: floatsOf(call?.completion_logprobs),
  };
}

describe('the three shapes', () => {
  test('a current line: ids, sampled logprobs as float32, reason and reward as they stand', async () => {
    const events = await eventsOf(strandsEnv, [currentLine()]);
    expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['start', 0],
      ['message', 1],
      ['model_call', 2],
      ['end', 3],
      ['phase', null],
      ['verdict', null],
    ]);
    expect(callOf(events)).toEqual(ONE_CALL);
    const [start, message, call, end, phase, verdict] = events;
    expect(start).toMatchObject({
      run_id: 'run',
      purpose: 'train',
      env_name: 'strands-env',
      task_id: 'p1',
      group_id: 'p1',
      group_size: null,
      rollout_id: 'p1_0',
      attempt: 0,
      epoch: 0,
      producer_id: 'import:strands-env',
      source: { format: 'strands-env', version: 'current', location: 'results.jsonl:1' },
      extra_json: null,
    });
    expect(start?.start?.prompt?.toString()).toBe('2+2?');
    expect(start?.start?.task_metadata_json).toBe('{"ground_truth":"4","trace_attributes":null}');
    expect(message?.message).toEqual({ role: 'user', parts_json: '[{"text":"2+2?"}]' });
    expect(call?.model_call).toMatchObject({
      call_id: 'call-0',
      prompt_prefix_len: 0,
      server_e2e_us: 120_000,
      usage: { prompt_tokens: 4, completion_tokens: 2, cached_tokens: 0, reasoning_tokens: null },
      finish_reason: null,
    });
    expect(call?.model_call?.raw_text?.toString()).toBe('4');
    expect(call?.extra_json).toBe('{"metadata":{"usage":{"totalTokens":6}}}');
    expect(end?.end?.reasons).toEqual([
      { raw: 'task_complete', system: 'strands-env', detail: null, after_end: false },
    ]);
    expect(phase).toMatchObject({ duration_us: 2000, phase: { phase: 'verify' } });
    expect(verdict?.verdict).toMatchObject({ status: 'scored', rewards: { reward: 1 }, bound_to: null });
  });

  test('a legacy line gives the same call, and says that its segments are inferred', async () => {
    const events = await eventsOf(strandsEnv, [legacyLine()]);
    expect(callOf(events)).toEqual(ONE_CALL);
    expect(events[0]?.source.version).toBe('legacy');
    expect(events[0]?.extra_json).toBe('{"segments_inferred":true,"tokens":{"prompt_length":4}}');
    expect(only(events, 'end')[0]?.end?.reasons[0]?.raw).toBe('task_complete');
    expect(only(events, 'verdict')[0]?.verdict?.rewards).toEqual({ reward: 1 });
  });

  test('a released line keeps what its context holds as task metadata', async () => {
    const { ground_truth: _, conversation_history, ...task } = currentLine().task;
    const context = { ground_truth: '4', conversation_history, case: 'easy' };
    const events = await eventsOf(strandsEnv, [currentLine({ line: { task: { ...task, context } } })]);
    expect(events[0]?.source.version).toBe('released');
    expect(events[0]?.start?.task_metadata_json).toBe('{"ground_truth":"4","case":"easy","trace_attributes":null}');
    expect(callOf(events)).toEqual(ONE_CALL);
  });

  test.each([
    ['null', currentLine({ result: { rollout: null } })],
    ['empty', currentLine({ rollout: { token_ids: [], loss_mask: [], logprobs: [], segment_info: [] } })],
    ['null in a legacy line', legacyLine(null)],
  ])('without tokens (%s) the call is there, its ids are null', async (_, line) => {
    const events = await eventsOf(strandsEnv, [line]);
    expect(callOf(events)).toEqual({ prompt: null, completion: null, logprobs: null });
    expect(only(events, 'model_call')[0]?.model_call?.raw_text?.toString()).toBe('4');
  });
});

describe('calls', () => {
  const use = (id: string, input: object, more = {}) => ({ toolUse: { toolUseId: id, name: 'calc', input, ...more } });
  const result = (id: string, text: string, status = 'success') => ({
    role: 'user',
    content: [{ toolResult: { toolUseId: id, status, content: [{ text }] } }],
  });
  const twoTurns = [
    { role: 'user', content: [{ text: 'q' }] },
    { role: 'assistant', content: [{ text: 'a <tool_call>' }, use('call_0000', { e: '1' })] },
    result('call_0000', '1'),
    { role: 'assistant', content: [{ text: 'b' }, use('call_0000', {})] },
    result('call_0000', 'no e', 'error'),
  ];
  const flat = (segment_info: Array<[boolean, number]>) => {
    const mask = segment_info.flatMap(([out, n]) => Array<number>(n).fill(out ? 1 : 0));
    return { token_ids: mask.map((_, i) => i + 1), loss_mask: mask, logprobs: mask.map((_, i) => -i), segment_info };
  };

  test('turns are cut at the segments; results answer the last call that used their id', async () => {
    const rollout = flat([
      [false, 2],
      [true, 1],
      [false, 1],
      [true, 2],
    ]);
    const events = await eventsOf(strandsEnv, [currentLine({ result: { messages: twoTurns }, rollout })]);
    expect(events.map(({ kind }) => kind).slice(1, 6)).toEqual([
      'message',
      'model_call',
      'tool_result',
      'model_call',
      'tool_result',
    ]);
    const calls = only(events, 'model_call').map(({ model_call: call }) => [
      call?.prompt_prefix_len,
      idsOf(call?.prompt_delta_ids),
      idsOf(call?.completion_ids),
      floatsOf(call?.completion_logprobs),
    ]);
    expect(calls).toEqual([
      [0, [1, 2], [3], [-2]],
      [3, [4], [5, 6], [-4, -5]],
    ]);
    const results = only(events, 'tool_result').map(({ tool_result }) => tool_result);
    expect(results.map((r) => [r?.call_id, r?.turn, r?.name, r?.status, r?.output?.toString()])).toEqual([
      ['call_0000', 0, 'calc', 'ok', '1'],
      ['call_0000', 1, 'calc', 'tool_error', 'no e'],
    ]);
    expect(only(events, 'model_call')[0]?.model_call?.tool_calls).toMatchObject([
      {
        call_id: 'call_0000',
        name: 'calc',
        arguments_raw: null,
        arguments_parsed: '{"e":"1"}',
        parse_status: 'unknown',
      },
    ]);
  });

  test('input that no output follows is a call with an empty completion: no token is lost, none is sampled', async () => {
    const rollout = flat([
      [false, 2],
      [true, 1],
      [false, 2],
    ]);
    const messages = twoTurns.slice(0, 3);
    const events = await eventsOf(strandsEnv, [currentLine({ result: { messages }, rollout })]);
    const [, last] = only(events, 'model_call');
    expect(last?.model_call?.prompt_prefix_len).toBe(3);
    expect(idsOf(last?.model_call?.prompt_delta_ids)).toEqual([4, 5]);
    expect(idsOf(last?.model_call?.completion_ids)).toEqual([]);
    expect(last?.extra_json).toBe('{"trailing_input":true}');
  });

  test('sampled tokens that no message tells of are a call without text; a message without tokens is one without ids', async () => {
    const three = flat([
      [false, 1],
      [true, 1],
      [false, 1],
      [true, 1],
    ]);
    const [more] = [await eventsOf(strandsEnv, [currentLine({ rollout: three })])];
    expect(only(more, 'model_call').map(({ model_call: call }) => call?.raw_text?.toString() ?? null)).toEqual([
      '4',
      null,
    ]);
    expect(more[0]?.extra_json).toBe('{"calls_paired":{"messages":1,"segments":2}}');
    const one = flat([
      [false, 1],
      [true, 1],
    ]);
    const fewer = await eventsOf(strandsEnv, [currentLine({ result: { messages: twoTurns }, rollout: one })]);
    expect(only(fewer, 'model_call').map(({ model_call: call }) => idsOf(call?.completion_ids))).toEqual([[2], null]);
  });

  test("the parser's raw text of a call is kept, and counts tell how a tool's calls were parsed where they agree", async () => {
    const messages = [{ role: 'assistant', content: [{ text: 'x' }, use('c', {}, { raw: '{"e": 1' })] }];
    const raw = await eventsOf(strandsEnv, [currentLine({ result: { messages } })]);
    const [call] = only(raw, 'model_call')[0]?.model_call?.tool_calls ?? [];
    expect([call?.arguments_raw?.toString(), call?.parse_status]).toEqual(['{"e": 1', 'malformed']);

    const status = async (counts: object) => {
      const metrics = { per_tool_metrics: { calc: counts } };
      const events = await eventsOf(strandsEnv, [currentLine({ result: { messages: twoTurns, metrics } })]);
      return only(events, 'model_call')[0]?.model_call?.tool_calls[0]?.parse_status;
    };
    expect(await status({ is_known: true, calls: 2, parse_errors: 0 })).toBe('ok');
    expect(await status({ is_known: true, calls: 2, parse_errors: 2 })).toBe('malformed');
    expect(await status({ is_known: true, calls: 2, parse_errors: 1 })).toBe('unknown');
    expect(await status({ is_known: false, calls: 2, parse_errors: 0 })).toBe('unknown_tool');
  });

  test('text the SDK wrote in place of a call is not the raw text of the policy, and is kept', async () => {
    const content = [
      { text: 'cut <tool' },
      { text: "The selected tool calc's tool use was incomplete due to maximum token limits." },
    ];
    const events = await eventsOf(strandsEnv, [
      currentLine({ result: { messages: [{ role: 'assistant', content }] } }),
    ]);
    const [call] = only(events, 'model_call');
    expect(call?.model_call?.raw_text?.toString()).toBe('cut <tool');
    expect(JSON.parse(call?.extra_json ?? '')).toEqual({ content });
  });

  test('lone surrogates keep their bytes', async () => {
    const messages = [{ role: 'assistant', content: [{ text: 'ok \ud83c' }] }];
    const events = await eventsOf(strandsEnv, [currentLine({ result: { messages } })]);
    expect(only(events, 'model_call')[0]?.model_call?.raw_text?.toString('hex')).toBe('6f6b20eda0bc');
  });

  test('routed experts stay in the file: their place and hash travel', async () => {
    const events = await eventsOf(strandsEnv, [currentLine({ rollout: { routed_experts: ['QUJD'] } })]);
    expect(only(events, 'model_call')[0]?.model_call?.aux_ref).toEqual({
      name: 'routed_experts',
      uri: 'results.jsonl:1#routed_experts[0]',
      sha256: sha256('QUJD'),
      shape: [],
      dtype: 'int32',
    });
  });

  test('a sampled token without a logprob makes those of its call null, and says where', async () => {
    const events = await eventsOf(strandsEnv, [
      currentLine({ rollout: { logprobs: [null, -3.1, -0.5, -1.2, -0.01, null] } }),
    ]);
    expect(callOf(events)).toEqual({ ...ONE_CALL, logprobs: null });
    expect(JSON.parse(only(events, 'model_call')[0]?.extra_json ?? '').missing_logprobs).toEqual([1]);
  });
});

describe('verdicts', () => {
  const verdict = async (reward_result: unknown, line = {}) => {
    const events = await eventsOf(strandsEnv, [currentLine({ result: { reward_result }, line })]);
    const found = only(events, 'verdict')[0]?.verdict;
    return [found?.status, found?.rewards];
  };

  test.each([
    ['a reward of 0 is 0', { reward: 0, info: { matched: false } }, 'scored', { reward: 0 }],
    ['null is not 0', { reward: null, info: {} }, 'missing', { reward: null }],
    ['no result at all', null, 'missing', { reward: null }],
    [
      'a judge that failed',
      { reward: 0, info: { status: 'error', error_type: 'judge_error' } },
      'crash',
      { reward: null },
    ],
    ['no usable truth', { reward: 0, info: { reason: 'invalid_ground_truth' } }, 'crash', { reward: null }],
    [
      'a truth it could not parse',
      { reward: 0, info: { reason: 'gold_parse_failed' } },
      'parse_error',
      { reward: null },
    ],
    ['an answer it could not parse', { reward: 0, info: { reason: 'answer_parse_failed' } }, 'scored', { reward: 0 }],
    ['no answer', { reward: 0, info: { reason: 'no_final_response' } }, 'scored', { reward: 0 }],
  ])('%s', async (_, result, status, rewards) => {
    expect(await verdict(result)).toEqual([status, rewards]);
  });

  test('an aborted sample that nobody judged was not run, and says both reasons', async () => {
    const line = currentLine({
      result: { reward_result: null, termination_reason: 'unclassified_error' },
      line: { aborted: true },
    });
    const events = await eventsOf(strandsEnv, [line]);
    expect(only(events, 'verdict')[0]?.verdict?.status).toBe('not_run');
    expect(only(events, 'end')[0]?.end?.reasons.map(({ raw, system }) => [raw, system])).toEqual([
      ['unclassified_error', 'strands-env'],
      ['aborted', 'strands-env'],
    ]);
  });

  test('a reward of NaN is null, and what it was stays in the report', async () => {
    const text = JSON.stringify(currentLine()).replace('"reward":1', '"reward":NaN');
    const events = await eventsOf(strandsEnv, [text]);
    expect(only(events, 'verdict')[0]?.verdict).toMatchObject({
      status: 'scored',
      rewards: { reward: null },
      report_json: '{"reward":{"$number":"NaN"},"info":{"matched":true}}',
    });
  });
});

describe('identity', () => {
  test('an equal line gives the same events, a different one after an aborted one the next attempt', async () => {
    const aborted = currentLine({ line: { aborted: true } });
    const events = await eventsOf(strandsEnv, [aborted, currentLine(), aborted]);
    const starts = only(events, 'start');
    expect(starts.map(({ attempt }) => attempt)).toEqual([0, 1, 0]);
    expect(starts[2]?.event_id).toBe(starts[0]?.event_id);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(12);
  });

  test('without ids there is no group, and equal lines are different rollouts', async () => {
    const line = JSON.stringify(currentLine({ task: { id: null }, line: { prompt_id: null } }));
    const starts = only(await eventsOf(strandsEnv, [line, line]), 'start');
    expect(starts.map(({ rollout_id, group_id, attempt }) => [rollout_id, group_id, attempt])).toEqual([
      [`${sha256(line)}.0`, null, 0],
      [`${sha256(line)}.1`, null, 0],
    ]);
  });

  test('integer ids keep all their digits', async () => {
    const text = JSON.stringify(currentLine()).replace('"p1_0"', '9007199254740993');
    expect((await eventsOf(strandsEnv, [text]))[0]?.rollout_id).toBe('9007199254740993');
  });

  test('another epoch is another event, another group size is not', async () => {
    const ids = async (context: object) =>
      (await eventsOf(strandsEnv, [currentLine()], context)).map((e) => e.event_id);
    const plain = await ids({});
    expect(await ids({ groupSize: 8 })).toEqual(plain);
    expect(new Set([...plain, ...(await ids({ epoch: 1 }))]).size).toBe(12);
  });
});

describe('what is refused', () => {
  test.each([
    ['result.rollout.loss_mask', { loss_mask: [0, 0, 0, 0, 1] }, '5 values for 6 token_ids'],
    ['result.rollout.logprobs', { logprobs: [0] }, '1 value for 6 token_ids'],
    ['result.rollout.segment_info', { segment_info: [[false, 4]] }, 'segments of 4 tokens for 6 token_ids'],
    ['result.rollout.loss_mask[4]', { loss_mask: [0, 0, 0, 0, 0, 1] }, 'expected 1 in an output segment, got 0'],
    [
      'result.rollout.token_ids[1]',
      { token_ids: [9, -1, 10, 17, 19, 99] },
      'expected a token id from 0 to 4294967295, got -1',
    ],
    [
      'result.rollout.token_ids[5]',
      { token_ids: [9, 1, 10, 17, 19, 0.5] },
      'expected a token id from 0 to 4294967295, got 0.5',
    ],
    ['result.rollout.token_ids', { token_ids: 'AAAA' }, 'expected an array, got "AAAA"'],
  ])('%s', async (field, rollout, message) => {
    const refused = await refusalOf(strandsEnv, currentLine({ rollout }));
    expect(refused).toMatchObject({ field, message: `${field}: ${message}` });
  });

  test('a token id beyond 2^53 and a logprob of NaN, with their own text', async () => {
    const text = JSON.stringify(currentLine());
    expect(await refusalOf(strandsEnv, text.replace('[9,17', '[9007199254740993,17'))).toMatchObject({
      field: 'result.rollout.token_ids[0]',
      got: '9007199254740993',
    });
    expect(await refusalOf(strandsEnv, text.replace('-0.02', 'NaN'))).toMatchObject({
      field: 'result.rollout.logprobs[5]',
      got: 'NaN',
    });
  });

  test.each([
    ['task.id', { task: { id: '' } }, 'expected an id, got an empty string'],
    ['task.id', { task: { id: 1.5 } }, 'expected an id: a string or an integer, got 1.5'],
    ['result.messages', { result: { messages: null } }, 'expected an array, got null'],
    ['result.termination_reason', { result: { termination_reason: 7 } }, 'expected a string, got 7'],
    ['aborted', { line: { aborted: 'no' } }, 'expected true or false, got "no"'],
    [
      'result.reward_result.reward',
      { result: { reward_result: { reward: '1' } } },
      'expected a number or null, got "1"',
    ],
    ['result', { line: { result: undefined } }, 'expected an object, got nothing'],
  ])('%s missing or of a wrong type', async (field, change, message) => {
    expect(await refusalOf(strandsEnv, currentLine(change))).toMatchObject({ field, message: `${field}: ${message}` });
  });
});
