import { describe, expect, test } from 'vitest';
import { nemoGym } from '../../../../src/ingest/importers/nemo-gym.ts';
import { eventsOf, floatsOf, idsOf, only, refusalOf, sha256 } from './imported.ts';

const answer = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: '4' }],
};

function row(output: unknown[], change: object = {}) {
  return {
    responses_create_params: { input: '2+2?', temperature: 1.0, top_p: 0.95, max_output_tokens: 64 },
    response: { id: 'resp', model: 'm', output, status: null, incomplete_details: null },
    reward: 1.0,
    agent_ref: { name: 'agent' },
    _ng_task_index: 3,
    _ng_rollout_index: 1,
    ...change,
  };
}

const tokens = (prompt: number[], ids: number[], logprobs = ids.map((_, i) => -i - 1)) => ({
  prompt_token_ids: prompt,
  generation_token_ids: ids,
  generation_log_probs: logprobs,
});

const thinking = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] };
const callItem = (id: string, more = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'calc',
  arguments: '{"e": 1',
  ...more,
});
const outputItem = (id: string) => ({ type: 'function_call_output', call_id: id, output: `result of ${id}` });

function callsOf(events: Awaited<ReturnType<typeof eventsOf>>) {
  return only(events, 'model_call').map(({ model_call: call }) => [
    call?.prompt_prefix_len,
    idsOf(call?.prompt_delta_ids),
    idsOf(call?.completion_ids),
  ]);
}

async function reasonOf(output: unknown[], change: object = {}) {
  return only(await eventsOf(nemoGym, [row(output, change)]), 'end')[0]?.end?.reasons.map(({ raw }) => raw);
}

describe('a row', () => {
  test('one call: ids from its last item, identity from the indices, the rest of the row as report', async () => {
    const line = row([thinking, { ...answer, ...tokens([1, 2], [3, 4]) }], {
      judge: 'fine',
      verifier_metadata: { a: 1 },
    });
    const events = await eventsOf(nemoGym, [line]);
    expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['start', 0],
      ['message', 1],
      ['model_call', 2],
      ['end', 3],
      ['verdict', null],
    ]);
    const [start, , call, end, verdict] = events;
    expect(start).toMatchObject({
      env_name: 'agent',
      task_id: 'agent/3',
      group_id: 'agent/3',
      rollout_id: 'agent/3/1',
      attempt: 0,
      start: { sampling: { temperature: 1, top_p: 0.95, max_tokens: 64 }, task_metadata_json: '{"a":1}' },
    });
    expect(callsOf(events)).toEqual([[0, [1, 2], [3, 4]]]);
    expect(floatsOf(call?.model_call?.completion_logprobs)).toEqual([-1, -2]);
    expect(call?.model_call).toMatchObject({ model: 'm', raw_text: null, finish_reason: null });
    expect(JSON.parse(call?.extra_json ?? '')).toEqual({ items: [thinking, answer] });
    expect(end?.end?.reasons).toEqual([
      { raw: 'task_complete', system: 'nemo-gym', detail: 'last output item is a completed message', after_end: false },
    ]);
    expect(end?.end?.final_response?.toString()).toBe('4');
    expect(verdict?.verdict).toMatchObject({ status: 'scored', rewards: { reward: 1 } });
    expect(JSON.parse(verdict?.verdict?.report_json ?? '')).toEqual({ reward: 1, judge: 'fine' });
  });

  test('--env goes before the agent, and rows without indices are rollouts by themselves', async () => {
    const line = JSON.stringify(row([], { _ng_task_index: undefined, terminated: true }));
    const starts = only(await eventsOf(nemoGym, [line, line], { env: 'mine' }), 'start');
    expect(starts.map(({ env_name, group_id, rollout_id }) => [env_name, group_id, rollout_id])).toEqual([
      ['mine', null, `${sha256(line)}.0`],
      ['mine', null, `${sha256(line)}.1`],
    ]);
  });

  test('the attempt is its number, also written as text', async () => {
    const numbers = [0, 2, '3'].map((n) => row([answer], { _ng_attempt_index: n }));
    expect(only(await eventsOf(nemoGym, numbers), 'start').map(({ attempt }) => attempt)).toEqual([0, 2, 3]);
    expect(await refusalOf(nemoGym, row([answer], { _ng_attempt_index: 'x' }))).toMatchObject({
      field: '_ng_attempt_index',
    });
  });
});

describe('calls', () => {
  test('the prefix is what a prompt shares with the prompt and the completion before it', async () => {
    const events = await eventsOf(nemoGym, [
      row([
        thinking,
        callItem('a', tokens([1, 2], [3, 4])),
        outputItem('a'),
        callItem('b', tokens([1, 2, 3, 4, 5], [6])),
        outputItem('b'),
        // The thinking of the first turn was taken out: the history is another from index 2 on.
        { ...answer, ...tokens([1, 2, 4, 5, 6, 7], [8]) },
      ]),
    ]);
    expect(callsOf(events)).toEqual([
      [0, [1, 2], [3, 4]],
      [4, [5], [6]],
      [2, [4, 5, 6, 7], [8]],
    ]);
  });

  test('a prompt that shares all and more than one byte of the next id is cut at a whole token', async () => {
    const events = await eventsOf(nemoGym, [
      row([callItem('a', tokens([256, 257], [258])), outputItem('a'), callItem('b', tokens([256, 258, 9], [1]))]),
    ]);
    expect(callsOf(events)[1]).toEqual([1, [258, 9], [1]]);
  });

  test('parallel calls are one model call, results find the call that asked, an unanswered call stays', async () => {
    const events = await eventsOf(nemoGym, [
      row([callItem('a'), callItem('b'), outputItem('b'), outputItem('a'), answer, callItem('c'), outputItem('z')]),
    ]);
    expect(events.map(({ kind }) => kind)).toEqual([
      'start',
      'message',
      'model_call',
      'tool_result',
      'tool_result',
      'model_call',
      'tool_result',
      // It ended on a result, which says nothing: that is decided at the end, and the verdict must be there by then.
      'verdict',
      'end',
    ]);
    const calls = only(events, 'model_call').map(({ model_call }) =>
      model_call?.tool_calls.map((call) => call.call_id),
    );
    expect(calls).toEqual([['a', 'b'], ['c']]);
    const results = only(events, 'tool_result').map(({ tool_result: r }) => [
      r?.call_id,
      r?.turn,
      r?.output?.toString(),
    ]);
    expect(results).toEqual([
      ['b', 0, 'result of b'],
      ['a', 0, 'result of a'],
      ['z', null, 'result of z'],
    ]);
    expect(only(events, 'model_call')[0]?.model_call?.tool_calls[0]?.arguments_raw?.toString()).toBe('{"e": 1');
    expect(callsOf(events)[0]).toEqual([0, null, null]);
  });

  test('a call ends before a turn of the user', async () => {
    const user = { type: 'message', role: 'user', content: 'go on' };
    const events = await eventsOf(nemoGym, [row([answer, user, answer])]);
    expect(events.map(({ kind }) => kind).slice(2, 5)).toEqual(['model_call', 'message', 'model_call']);
    expect(events[3]?.message).toEqual({ role: 'user', parts_json: '"go on"' });
  });

  test('input items become messages in their order', async () => {
    const input = [
      { role: 'system', content: 'be good' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'q' }] },
    ];
    const events = await eventsOf(nemoGym, [
      row([answer], { responses_create_params: { input, tools: [{ name: 'calc' }] } }),
    ]);
    expect(only(events, 'message').map(({ message }) => message?.role)).toEqual(['system', 'user']);
    expect(events[0]?.start).toMatchObject({ prompt: null, tools_json: '[{"name":"calc"}]' });
  });
});

describe('why it ended: the first that is set', () => {
  const cut = { output: [answer], incomplete_details: { reason: 'max_output_tokens' } };
  test.each([
    [
      'failure class',
      [answer],
      { _ng_failure_class: 'timeout_exceeded', response: cut, truncated: true },
      ['timeout_exceeded'],
    ],
    ['incomplete_details', [], { response: cut, truncated: true, terminated: true }, ['max_output_tokens']],
    ['truncated', [answer], { truncated: true, terminated: true }, ['truncated']],
    ['terminated', [answer], { truncated: false, terminated: true }, ['terminated']],
    ['a completed message at the end', [answer], { terminated: false }, ['task_complete']],
    ['nothing: an unanswered call', [answer, callItem('a')], {}, ['']],
    ['nothing: a message that is not completed', [{ ...answer, status: 'incomplete' }], {}, ['']],
    ['nothing: no output', [], {}, ['']],
    ['a sample its environment masks says that too', [answer], { mask_sample: true }, ['task_complete', 'mask_sample']],
  ])('%s', async (_, output, change, reasons) => {
    expect(await reasonOf(output, change)).toEqual(reasons);
  });

  test('the status of the response proves nothing', async () => {
    const response = { output: [callItem('a')], status: 'completed', incomplete_details: null };
    expect(await reasonOf([], { response })).toEqual(['']);
  });
});

describe('failed rows', () => {
  const failed = {
    ...row([]),
    response: undefined,
    reward: undefined,
    _ng_failure_class: 'sandbox',
    error: 'no host',
    _ng_attempt_index: 1,
  };

  test('a failed row without a response is an attempt that started and ended', async () => {
    const events = await eventsOf(nemoGym, [failed]);
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'message', 'end', 'verdict']);
    expect(events[0]?.attempt).toBe(1);
    expect(events[2]?.end).toMatchObject({
      reasons: [{ raw: 'sandbox', detail: 'no host' }],
      exception: { type: 'sandbox', message: 'no host' },
    });
    expect(events[3]?.verdict).toMatchObject({ status: 'not_run', rewards: { reward: null } });
  });

  test('the reward of a failed row is not taken', async () => {
    const events = await eventsOf(nemoGym, [{ ...failed, reward: 0, _ng_failure_class: 'judge_failed' }]);
    expect(only(events, 'verdict')[0]?.verdict).toMatchObject({ status: 'crash', rewards: { reward: null } });
  });

  test('a file read twice gives each row once', async () => {
    const unnumbered = { ...failed, _ng_attempt_index: undefined };
    const count = async (rows: 'numbered' | 'unnumbered') =>
      only(await eventsOf(nemoGym, [failed, unnumbered, failed], { rows }), 'start').map(({ attempt }) => attempt);
    expect(await count('numbered')).toEqual([1, 1]);
    expect(await count('unnumbered')).toEqual([0]);
  });
});

describe('rewards', () => {
  test.each([
    [0, 'scored', 0],
    [null, 'missing', null],
    [undefined, 'missing', null],
  ])('%s', async (reward, status, value) => {
    const events = await eventsOf(nemoGym, [row([answer], { reward })]);
    expect(only(events, 'verdict')[0]?.verdict).toMatchObject({ status, rewards: { reward: value } });
  });

  test.each([['1'], [[1]], [true], [{}]])('%j is refused, and not read as a number', async (reward) => {
    expect(await refusalOf(nemoGym, row([answer], { reward }))).toMatchObject({ field: 'reward' });
  });
});

describe('what is refused', () => {
  const path = 'response.output[0]';
  test.each([
    [`${path}.generation_log_probs`, tokens([1], [2, 3], [-1]), '1 value for 2 generation_token_ids'],
    [`${path}.generation_token_ids[0]`, tokens([1], [-2]), 'expected a token id from 0 to 4294967295, got -2'],
    [`${path}.prompt_token_ids`, { generation_token_ids: [1] }, 'expected an array, got nothing'],
    [
      `${path}.generation_token_ids`,
      { prompt_token_ids: [1], generation_token_ids: null },
      'expected an array, got null',
    ],
  ])('%s', async (field, item, message) => {
    expect(await refusalOf(nemoGym, row([{ ...answer, ...item }]))).toMatchObject({
      field,
      message: `${field}: ${message}`,
    });
  });

  test('a row without a response that says nothing of a failure', async () => {
    expect(await refusalOf(nemoGym, { ...row([]), response: null })).toMatchObject({
      message: 'response: expected an object, got null',
    });
  });
});
