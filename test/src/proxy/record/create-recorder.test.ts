import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventOfJson } from '../../../../src/ingest/event-json.ts';
import { parseExact } from '../../../../src/ingest/exact-json.ts';
import { isObject } from '../../../../src/ingest/exact-number.ts';
import { type SeenCall, streamOf, writeCall } from './call-files.ts';
import { type InProcess, linesIn, openInProcess } from './recording-in-process.ts';

let folder = '';
let ids = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-record-'));
  ids = 0;
});
afterEach(() => {
  // Whatever was written is what a server takes.
  for (const line of linesIn(folder)) {
    const parsed = parseExact(line);
    if (parsed.kind !== 'json' || !isObject(parsed.value)) throw new Error(line);
    const given = { value: parsed.value, sha256: '', duplicateKeys: [] };
    const defaults = { runId: null, producerId: '', format: '', location: null, groupSize: null, overrides: {} };
    eventOfJson(given, defaults);
  }
  rmSync(folder, { recursive: true });
});

const SECOND = 1_000_000;
const BEGAN = 1_700_000_000_000_000;

/** Each call takes a second, and begins when the one before has ended. */
function seen(call: Omit<SeenCall, 'id'>): string {
  const n = ids++;
  return writeCall(folder, { id: `c${n}`, startedAtUs: BEGAN + n * SECOND, tookUs: SECOND, ...call });
}

function generated(prompt: readonly number[], completion: readonly number[], more: object = {}) {
  return {
    request: { input_ids: prompt, sampling_params: { temperature: 1 } },
    answer: {
      text: completion.map((id) => `t${id}`).join(''),
      output_ids: completion,
      meta_info: {
        ...{ id: `r${ids}`, prompt_tokens: prompt.length, completion_tokens: completion.length, weight_version: '7' },
        finish_reason: { type: 'stop', matched: completion.at(-1) },
        output_token_logprobs: completion.map((id) => [-id / 8, id, null]),
        ...more,
      },
    },
  };
}

type Message = Readonly<Record<string, unknown>>;

/** vLLM's chat, with ids. */
function chatted(
  messages: readonly Message[],
  message: Message,
  ids: { prompt: number[]; completion: number[] } | null,
) {
  const choice = ids === null ? {} : { token_ids: ids.completion };
  return {
    ...{ path: '/v1/chat/completions', engine: 'vllm' as const, request: { model: 'm', messages } },
    answer: {
      ...{ id: 'x', model: 'm', ...(ids === null ? {} : { prompt_token_ids: ids.prompt }) },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
    },
  };
}

function calls({ events }: InProcess) {
  return events().flatMap(({ model_call: call, segment_id, extra_json, rollout_id, attempt }) =>
    call ? [{ ...call, segment_id, rollout_id, attempt, extra: JSON.parse(extra_json ?? '{}') }] : [],
  );
}

const named = { rollout: 'a' };
const NAMED = {
  ...named,
  run: null,
  attempt: null,
  group: null,
  groupSize: null,
  task: null,
  env: null,
  epoch: null,
  purpose: null,
};
const DONE = { reasons: [{ raw: 'task_complete', system: 'rollstream' }] };

describe('a rollout', () => {
  it('is its start, its calls with only what is new of their prompts, and its end', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    const whole = {
      ...named,
      run: 'r/1',
      group: 'g',
      groupSize: 2,
      task: 't',
      env: 'sums',
      epoch: 3,
      purpose: 'eval' as const,
    };
    recorder.take(seen({ named: whole, ...generated([1, 2, 3], [10, 11]) }));
    recorder.take(seen({ named: { run: 'r/1', rollout: 'a' }, ...generated([1, 2, 3, 10, 11, 4], [12]) }));
    recorder.end({ ...NAMED, run: 'r/1' }, { ...DONE, finalResponse: '4', envReward: 0.5 });
    const identity = {
      ...{ run_id: 'r/1', purpose: 'eval', env_name: 'sums', task_id: 't', epoch: 3, group_id: 'g', group_size: 2 },
      ...{ rollout_id: 'a', attempt: 0, producer_id: 'proxy-1' },
    };
    const call = { prompt_tokens: 3, completion_tokens: 2, cached_tokens: null, reasoning_tokens: null };
    expect(recording.events()).toMatchObject([
      {
        ...{ ...identity, kind: 'start', seq: 0, event_id: 'c0/0', started_at: BEGAN },
        start: { sampling: { temperature: 1 }, weights_version: '7' },
      },
      {
        ...{ ...identity, kind: 'model_call', seq: 1, event_id: 'c0/1', segment_id: 'main' },
        ...{ started_at: BEGAN, ended_at: BEGAN + SECOND, duration_us: SECOND },
        model_call: {
          ...{ call_id: 'r0', replica: '127.0.0.1:30000', prompt_prefix_len: 0, prompt_delta_ids: [1, 2, 3] },
          ...{ completion_ids: [10, 11], completion_logprobs: [-1.25, -1.375], raw_text: 't10t11', usage: call },
          ...{ weight_spans: [{ start: 0, version: '7' }], finish_reason: '{"type":"stop","matched":11}', error: null },
        },
      },
      {
        ...{ kind: 'model_call', seq: 2, event_id: 'c1/1' },
        model_call: { call_id: 'r1', prompt_prefix_len: 5, prompt_delta_ids: [4], completion_ids: [12] },
      },
      {
        ...{ kind: 'end', seq: 3, ended_at: 1_700_000_100_000_000 },
        end: { ...DONE, final_response: '4', env_reward: 0.5 },
      },
    ]);
    expect(readdirSync(join(folder, 'calls'))).toEqual([]);
    expect(readdirSync(join(folder, 'recording', 'attempts'))).toEqual([]);
    expect(recorder).toMatchObject({ openRollouts: 0, lostEvents: 0, notAuditable: {} });
  });

  it('is named after the rollout and the proxy where nobody says more', () => {
    const recording = openInProcess(folder);
    recording.recorder.take(seen({ named, ...generated([1], [2]) }));
    expect(recording.events()[0]).toMatchObject({
      ...{
        run_id: 'proxy',
        env_name: 'proxy',
        task_id: 'a',
        purpose: 'train',
        epoch: 0,
        group_id: null,
        group_size: null,
      },
    });
  });

  it('that was rewritten keeps its segment with a shorter prefix; another agent of it has one of its own', () => {
    const recording = openInProcess(folder);
    const prompts = [
      [[1, 2, 3], [4]],
      [[9, 9], [5]],
      [[1, 2, 3, 7], [6]],
      [[9, 9, 5, 8], [7]],
      [[1, 2, 3, 7, 6, 1], [8]],
      [[1, 2], [3]],
    ] as const;
    for (const [prompt, completion] of prompts)
      recording.recorder.take(seen({ named, ...generated(prompt, completion) }));
    const found = calls(recording).map((call) => [call.segment_id, call.prompt_prefix_len, call.prompt_delta_ids]);
    expect(found).toEqual([
      ['main', 0, [1, 2, 3]],
      ['conversation-2', 0, [9, 9]],
      ['main', 3, [7]],
      ['conversation-2', 3, [8]],
      ['main', 5, [1]],
      ['conversation-3', 0, [1, 2]],
    ]);
  });

  it('that is named again after its end is the next attempt; what goes on with it comes too late', () => {
    const recording = openInProcess(folder, { now: () => BEGAN / 1000 + ids * 1000 });
    const { recorder } = recording;
    recorder.take(seen({ named, ...generated([1], [2]) }));
    recorder.end(NAMED, DONE);
    recorder.take(seen({ named, ...generated([1, 2, 3], [4]) }));
    recorder.take(seen({ named, ...generated([1], [5]) }));
    recorder.take(seen({ named: { ...named, attempt: 4 }, ...generated([1], [6]) }));
    const events = recording.events().map(({ kind, attempt, seq }) => [kind, attempt, seq]);
    expect(events).toEqual([
      ...[
        ['start', 0, 0],
        ['model_call', 0, 1],
        ['end', 0, 2],
        ['model_call', 0, 3],
      ],
      ...[
        ['start', 1, 0],
        ['model_call', 1, 1],
        ['start', 4, 0],
        ['model_call', 4, 1],
      ],
    ]);
    expect(calls(recording).map(({ extra }) => extra.late)).toEqual([undefined, true, undefined, undefined]);
    expect(() => recorder.end({ ...NAMED, attempt: 0 }, DONE)).toThrow('no such attempt is open');
  });

  it('that ends while a call of it is under way has that call too late, and no second attempt by it', () => {
    const recording = openInProcess(folder, { now: () => BEGAN / 1000 + ids * 1000 });
    const { recorder } = recording;
    recorder.take(seen({ named, ...generated([1], [2]) }));
    const given = seen({ named, ...generated([9], []), answer: null, end: { how: 'client_gone', detail: null } });
    recorder.end(NAMED, DONE);
    recorder.take(given);
    expect(recording.events().map(({ kind, attempt, seq }) => [kind, attempt, seq])).toEqual([
      ...[
        ['start', 0, 0],
        ['model_call', 0, 1],
        ['end', 0, 2],
        ['model_call', 0, 3],
      ],
    ]);
    expect(recorder.openRollouts).toBe(0);
  });

  it('has verdicts, after its end too, on the attempt that they are of', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    recorder.take(seen({ named, ...generated([1], [2]) }));
    recorder.end(NAMED, DONE);
    recorder.verdict(NAMED, { scorer: 'sums', reward: 0.25, eventId: 'v1', report: { right: 1 } });
    recorder.verdict(NAMED, { scorer: 'nan', rewards: { a: Number.NaN, b: null }, eventId: 'v2' });
    const [first, second] = openInProcess(folder).events().slice(-2);
    expect(first).toMatchObject({
      ...{ kind: 'verdict', seq: null, event_id: 'v1', rollout_id: 'a', attempt: 0 },
      verdict: { scorer: 'sums', status: 'scored', rewards: { reward: 0.25 }, report_json: '{"right":1}' },
    });
    expect(second).toMatchObject({
      verdict: { rewards: { a: null, b: null } },
      extra_json: '{"inexact_rewards":{"a":"NaN"}}',
    });
    expect(() => recorder.verdict({ ...NAMED, rollout: 'b' }, { scorer: 's', eventId: null })).toThrow(
      'no such rollout',
    );
  });

  it('ends when it was idle for long, but not while a call of it goes on', () => {
    let now = 1_700_000_000_000;
    const recording = openInProcess(folder, { idleMs: 60_000, now: () => now });
    const { recorder } = recording;
    recorder.take(seen({ named, ...generated([1], [2]) }));
    recorder.take(seen({ named: { rollout: 'b' }, ...generated([1], [2]) }));
    const going = seen({ named: { rollout: 'b' }, ...generated([1, 2, 3], [4]), answer: null, end: null });
    now += 62_500;
    recorder.endIdle(new Set());
    expect(recorder.openRollouts).toBe(1);
    rmSync(going);
    recorder.endIdle(new Set());
    const ends = recording.events().flatMap(({ end, rollout_id }) => (end ? [[rollout_id, end.reasons]] : []));
    const reasons = [{ raw: 'idle', system: 'rollstream', detail: null }];
    expect(ends).toEqual([
      ['a', reasons],
      ['b', reasons],
    ]);
  });
});

describe('the same request again', () => {
  const failed = { status: 503, answer: { error: { message: 'busy', type: 'overloaded' } } };

  it('after errors is one call, with what came of it before as its attempts', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    const { request } = generated([1, 2], [3]);
    recorder.take(seen({ named, request, ...failed }));
    const partial = { text: 'x', output_ids: [7], meta_info: { id: 'r', prompt_tokens: 2, completion_tokens: 1 } };
    const cutOff = { answer: streamOf([partial], { done: false }), end: { how: 'client_gone', detail: null } } as const;
    recorder.take(seen({ named, request, ...cutOff }));
    expect(recording.events().map(({ kind }) => kind)).toEqual(['start']);
    recorder.take(seen({ named, ...generated([1, 2], [3]) }));
    const [call, ...others] = calls(recording);
    expect(others).toEqual([]);
    expect(call).toMatchObject({ completion_ids: [3], error: null });
    expect(call?.extra.attempts).toMatchObject([
      { call: 'c0', status: 503, error: { type: 'overloaded', message: 'busy' }, completion_ids: null },
      { call: 'c1', status: 200, error: { type: 'client_gone', message: null }, completion_ids: [7], text: 'x' },
    ]);
    expect(readdirSync(join(folder, 'calls'))).toEqual([]);
  });

  it('that never comes leaves a call that failed, told when the client goes on or the rollout ends', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    recorder.take(seen({ named, request: generated([1, 2], []).request, ...failed }));
    recorder.take(seen({ named, ...generated([1, 2, 5], [6]) }));
    recorder.take(
      seen({ named, request: { input_ids: [8] }, answer: null, end: { how: 'upstream_timeout', detail: '60 s' } }),
    );
    expect(calls(recording)).toMatchObject([
      { call_id: 'call-0', error: { type: 'overloaded', message: 'busy' }, prompt_delta_ids: [1, 2] },
      { prompt_prefix_len: 0, prompt_delta_ids: [1, 2, 5], completion_ids: [6] },
    ]);
    recorder.end(NAMED, DONE);
    expect(calls(recording)[2]).toMatchObject({ error: { type: 'upstream_timeout', message: '60 s' } });
    expect(recorder.notAuditable).toEqual({});
  });

  it('outlives a restart between its tries', () => {
    const { request } = generated([1, 2], [3]);
    openInProcess(folder).recorder.take(seen({ named, request, ...failed }));
    const recording = openInProcess(folder);
    recording.recorder.take(seen({ named, ...generated([1, 2], [3]) }));
    expect(calls(recording)).toMatchObject([{ completion_ids: [3], extra: { attempts: [{ call: 'c0' }] } }]);
  });

  it('after a whole answer that the client says it never had is told as its retry', () => {
    const recording = openInProcess(folder);
    recording.recorder.take(seen({ named, ...generated([1], [2]) }));
    recording.recorder.take(seen({ named, ...generated([1], [3]), headers: { 'x-stainless-retry-count': '1' } }));
    expect(calls(recording).map(({ extra }) => extra.retry_of)).toEqual([undefined, 0]);
  });
});

describe('a conversation', () => {
  const first: Message[] = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: '2+2?' },
  ];
  const call = { id: 'k1', type: 'function', function: { name: 'add', arguments: '{"a":2, "b":2}' } };
  const asked = { content: null, tool_calls: [call] };

  it('gives its messages, and the results of tools with what the client says that it called', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    recorder.take(seen({ named, ...chatted(first, asked, { prompt: [1, 2], completion: [3] }) }));
    const executed = { ...call, function: { name: 'add', arguments: '{}' } };
    const second: Message[] = [
      ...first,
      { role: 'assistant', content: null, tool_calls: [executed] },
      { role: 'tool', tool_call_id: 'k1', content: '4' },
      { role: 'user', content: [{ type: 'text', text: 'sure?' }], name: 'me' },
    ];
    recorder.take(seen({ named, ...chatted(second, { content: 'yes' }, { prompt: [1, 2, 3, 4], completion: [5] }) }));
    const told = recording
      .events()
      .map(({ kind, message, tool_result, model_call, seq }) => [
        seq,
        kind,
        message ?? tool_result ?? model_call?.completion_ids,
      ]);
    expect(told).toMatchObject([
      [0, 'start', undefined],
      [1, 'message', { role: 'system', parts_json: '"be brief"' }],
      [2, 'message', { role: 'user', parts_json: '"2+2?"' }],
      [3, 'model_call', [3]],
      [
        4,
        'tool_result',
        { call_id: 'k1', turn: 0, name: 'add', executed_arguments: '{}', status: 'unknown', output: '4' },
      ],
      [5, 'message', { role: 'user', parts_json: '[{"type":"text","text":"sure?"}]' }],
      [6, 'model_call', [5]],
    ]);
    expect(recording.events()[0]?.start).toMatchObject({ prompt: '2+2?' });
    expect(calls(recording)[1]?.extra.sent_back).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
    expect(calls(recording)[0]?.extra.request?.messages).toBeUndefined();
  });

  it('that nobody named is found by what it goes on with, among others that began alike', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    for (const content of ['five', 'four', 'six']) recorder.take(seen(chatted(first, { content }, null)));
    recorder.take(
      seen(
        chatted(
          [...first, { role: 'assistant', content: ' four\n' }, { role: 'user', content: 'sure?' }],
          { content: 'yes' },
          null,
        ),
      ),
    );
    const found = calls(openInProcess(folder));
    expect(found.map(({ rollout_id }) => rollout_id)).toEqual([
      'inferred-c0',
      'inferred-c1',
      'inferred-c2',
      'inferred-c1',
    ]);
    const starts = recording.events().filter(({ kind }) => kind === 'start');
    expect(starts.map(({ extra_json }) => JSON.parse(extra_json ?? '{}').inferred)).toEqual([true, true, true]);
    expect(new Set(starts.map(({ task_id }) => task_id)).size).toBe(1);
    expect(recorder.notAuditable).toEqual({ no_token_ids: 4 });
  });

  it('of a call that failed in its middle goes on with what the client had of it', () => {
    const recording = openInProcess(folder);
    const { answer, ...asked } = chatted(first, { content: 'four' }, { prompt: [1, 2], completion: [3] });
    recording.recorder.take(seen({ ...asked, named, answer, end: { how: 'upstream_cut', detail: null } }));
    const second = [...first, { role: 'assistant', content: 'four' }, { role: 'user', content: 'sure?' }];
    recording.recorder.take(
      seen({ named, ...chatted(second, { content: 'yes' }, { prompt: [1, 2, 3, 4], completion: [5] }) }),
    );
    const told = recording.events().map(({ kind, message }) => [kind, message?.parts_json]);
    expect(told.slice(3)).toEqual([
      ['model_call', undefined],
      ['message', '"sure?"'],
      ['model_call', undefined],
    ]);
    expect(calls(recording)).toMatchObject([
      { completion_ids: [3], error: { type: 'upstream_cut' } },
      { prompt_prefix_len: 3, prompt_delta_ids: [4], completion_ids: [5] },
    ]);
  });

  it('that nobody named goes on in the rollout that its first call was named after', () => {
    const recording = openInProcess(folder);
    recording.recorder.take(seen({ named, ...generated([1, 2], [3]) }));
    recording.recorder.take(seen(generated([1, 2, 3, 4], [5])));
    const found = calls(recording).map(({ rollout_id, prompt_prefix_len, extra }) => [
      rollout_id,
      prompt_prefix_len,
      extra.inferred,
    ]);
    expect(found).toEqual([
      ['a', 0, undefined],
      ['a', 3, true],
    ]);
  });

  it('that nobody named is found by its ids or its text', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    recorder.take(seen(generated([1, 2], [3])));
    recorder.take(seen(generated([1, 2], [4])));
    recorder.take(seen(generated([1, 2, 4, 5], [6])));
    const text = (prompt: string, said: string) => ({
      path: '/v1/completions',
      request: { prompt },
      answer: { choices: [{ text: said }] },
    });
    recorder.take(seen(text('2+2=', ' 4')));
    recorder.take(seen(text('2+2= 4, and', ' 5')));
    const found = calls(recording).map(({ rollout_id }) => rollout_id);
    expect(found).toEqual(['inferred-c0', 'inferred-c1', 'inferred-c1', 'inferred-c3', 'inferred-c3']);
  });

  it('that nobody named goes on where its request is made again, though others wait for the same', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    const busy = { ...chatted(first, {}, null), status: 429, answer: { error: 'slow down' } };
    recorder.take(seen(busy));
    recorder.take(seen(busy));
    for (const content of ['a', 'b']) recorder.take(seen(chatted(first, { content }, null)));
    const found = calls(recording).map(({ rollout_id, extra }) => [rollout_id, extra.attempts?.length]);
    expect(found).toEqual([
      ['inferred-c0', 2],
      ['inferred-c3', undefined],
    ]);
  });
});

describe('a call that cannot be read', () => {
  it('is a call, with why and with what was kept', () => {
    const recording = openInProcess(folder);
    const { recorder } = recording;
    const { request } = generated([1], []);
    recorder.take(
      seen({ named, request, answer: '<html>hello</html>', answerHeaders: { 'content-type': 'text/html' } }),
    );
    recorder.take(seen({ named, request: 'no json', answer: { text: 'a', meta_info: {} } }));
    recorder.take(
      seen({ named, path: '/v1/responses', request: { input: 'hi' }, answer: { id: 'x', output: [{ text: 'a' }] } }),
    );
    const logprobs = [
      [Number.NaN, 5, null],
      [-1, 6, null],
    ];
    const body = JSON.stringify(generated([1], [5, 6], { output_token_logprobs: logprobs }).answer).replace(
      'null',
      'NaN',
    );
    recorder.take(seen({ named, request, answer: body, answerHeaders: { 'content-type': 'application/json' } }));
    const found = calls(recording);
    expect(found.map(({ extra }) => extra.not_auditable)).toEqual([
      'unreadable_answer',
      'no_token_ids',
      'other_route',
      undefined,
    ]);
    expect(found[0]).toMatchObject({ error: null, extra: { answer: '<html>hello</html>' } });
    expect(found[2]).toMatchObject({ extra: { answer: { output: [{ text: 'a' }] } } });
    expect(found[3]).toMatchObject({
      completion_ids: [5, 6],
      extra: {
        unsound_logprobs: [
          [{ $number: 'NaN' }, 5, null],
          [-1, 6, null],
        ],
      },
    });
    expect(found[3]?.completion_logprobs).toBeUndefined();
    expect(recorder.notAuditable).toEqual({ unreadable_answer: 1, no_token_ids: 1, other_route: 1 });
  });

  it('was torn by the death of the proxy: what the client had of it stays', () => {
    const partial = (n: number) => ({
      text: 'ab'.slice(0, n),
      output_ids: [7, 8].slice(0, n),
      meta_info: { id: 'r', prompt_tokens: 1, completion_tokens: n },
    });
    const torn = { answer: `${streamOf([partial(1), partial(2)], { done: false })}data: {"te`, end: null };
    seen({ named, request: generated([1], []).request, ...torn });
    seen({ named, ...generated([1, 2], []), answer: null, end: null });
    const recording = openInProcess(folder);
    recording.recorder.end(NAMED, DONE);
    expect(calls(recording)).toMatchObject([
      { error: { type: 'proxy_killed' }, raw_text: 'ab', completion_ids: [7, 8], extra: { stream: { torn: '{"te' } } },
      { error: { type: 'proxy_killed' }, prompt_delta_ids: [2] },
    ]);
  });
});

describe('what SGLang and vLLM say', () => {
  it('in the meta_info of a choice is taken for the ids, the logprobs and the versions', () => {
    const recording = openInProcess(folder);
    const meta = {
      ...{
        finish_reason: { type: 'length', length: 2 },
        weight_versions: [
          { version: '1', start: 0, end: 1 },
          { version: '2', start: 1, end: 2 },
        ],
      },
      ...{
        output_token_logprobs: [
          [-0.5, 5, 'a'],
          [-0.1, 6, 'b'],
        ],
        e2e_latency: 0.5,
      },
    };
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'k', function: { name: 'f', arguments: '{' } }],
    };
    const choice = { index: 0, message, finish_reason: 'length', meta_info: meta, prompt_token_ids: [1, 2] };
    recording.recorder.take(
      seen({
        ...{ named, path: '/v1/chat/completions', request: { model: 'm', messages: [] } },
        answer: { id: 'x', model: 'm', choices: [choice], usage: { prompt_tokens: 2, completion_tokens: 2 } },
      }),
    );
    expect(calls(recording)).toMatchObject([
      {
        ...{ prompt_delta_ids: [1, 2], completion_ids: [5, 6], completion_logprobs: [-0.5, Math.fround(-0.1)] },
        ...{
          weight_spans: [
            { start: 0, version: '1' },
            { start: 1, version: '2' },
          ],
          server_e2e_us: 500_000,
        },
        finish_reason: '{"type":"length","length":2}',
        tool_calls: [{ call_id: 'k', name: 'f', arguments_raw: '{' }],
      },
    ]);
  });

  it('is kept where it disagrees: one logprob more than ids', () => {
    const recording = openInProcess(folder);
    const extra = {
      output_token_logprobs: [
        [-1, 5, null],
        [-2, 6, null],
        [-3, 7, null],
      ],
    };
    recording.recorder.take(seen({ named, ...generated([1], [5, 6], extra) }));
    expect(calls(recording)).toMatchObject([
      { completion_ids: [5, 6], extra: { disagreement: { completion_ids: 2, logprobs: [-1, -2, -3] } } },
    ]);
  });
});

describe('a state that was damaged', () => {
  it('is put aside, and the others go on', () => {
    const { recorder } = openInProcess(folder);
    for (const rollout of ['a', 'b']) recorder.take(seen({ named: { rollout }, ...generated([1], [2]) }));
    const attempts = join(folder, 'recording', 'attempts');
    const [name = ''] = readdirSync(attempts);
    writeFileSync(join(attempts, name), Buffer.concat([Buffer.alloc(100), Buffer.from('\n\0\n')]));
    writeFileSync(join(folder, 'recording', 'ended.ndjson'), 'no json\n');
    writeFileSync(join(folder, 'recording', 'intent.json'), '\0\0\n');
    const again = openInProcess(folder).recorder;
    expect(again).toMatchObject({ openRollouts: 1, lostEvents: 1 });
    expect(readdirSync(attempts)).toContain(`${name}.damaged`);
  });
});

describe('limits', () => {
  it('a spool without room loses events, and the gap is seen', () => {
    const recording = openInProcess(folder, { limits: { spoolBytes: 3000 } });
    for (let n = 0; n < 5; n++) recording.recorder.take(seen({ named, ...generated([1, n], [2]) }));
    const seqs = recording.events().map(({ seq }) => seq);
    expect(recording.recorder.lostEvents).toBe(6 - seqs.length);
    expect(recording.recorder.lostEvents).toBeGreaterThan(0);
    expect(seqs).toEqual(seqs.map((_, i) => i));
  });

  it('what memory lets go of is read back: many rollouts go on as they were', () => {
    const recording = openInProcess(folder, { limits: { stateBytes: 20_000 } });
    const rollouts = Array.from({ length: 40 }, (_, n) => n);
    for (const n of rollouts) recording.recorder.take(seen({ named: { rollout: `${n}` }, ...generated([n, 1], [2]) }));
    for (const n of rollouts)
      recording.recorder.take(seen({ named: { rollout: `${n}` }, ...generated([n, 1, 2, 3], [4]) }));
    expect(
      calls(recording)
        .slice(40)
        .map((call) => [call.prompt_prefix_len, call.prompt_delta_ids]),
    ).toEqual(rollouts.map(() => [3, [3]]));
  });

  it('calls that wait to be made again are told once there are too many', () => {
    const recording = openInProcess(folder, { limits: { waitingCalls: 2 } });
    for (let n = 0; n < 3; n++)
      recording.recorder.take(seen({ named, request: { input_ids: [n] }, status: 500, answer: { error: 'no' } }));
    expect(calls(recording)).toMatchObject([{ prompt_delta_ids: [0], error: { message: 'no' } }]);
    expect(existsSync(join(folder, 'calls', 'c1.call'))).toBe(true);
  });
});
