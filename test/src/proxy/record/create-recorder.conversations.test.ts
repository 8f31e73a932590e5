import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { streamOf } from './call-files.ts';
import { openInProcess } from './recording-in-process.ts';
import { calls, chatted, createSeenCalls, DONE, type Message, NAMED, named } from './seen-calls.ts';

const world = createSeenCalls();
const { seen, generated } = world;
beforeEach(world.begin);
afterEach(world.end);

describe('a conversation', () => {
  const first: Message[] = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: '2+2?' },
  ];
  const call = { id: 'k1', type: 'function', function: { name: 'add', arguments: '{"a":2, "b":2}' } };
  const asked = { content: null, tool_calls: [call] };

  it('gives its messages, and the results of tools with what the client says that it called', () => {
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
    const found = calls(openInProcess(world.folder));
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
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
    recording.recorder.end(NAMED, DONE);
    expect(calls(recording)).toMatchObject([
      { error: { type: 'proxy_killed' }, raw_text: 'ab', completion_ids: [7, 8], extra: { stream: { torn: '{"te' } } },
      { error: { type: 'proxy_killed' }, prompt_delta_ids: [2] },
    ]);
  });
});

describe('what SGLang and vLLM say', () => {
  it('in the meta_info of a choice is taken for the ids, the logprobs and the versions', () => {
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
