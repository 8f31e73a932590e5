import { describe, expect, test } from 'vitest';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { verifiersV1 } from '../../../../src/ingest/importers/verifiers-v1.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, imported, only, refusalOf } from './imported.ts';
import { assistant, episode, lineOfNodes, node, trace, user } from './verifiers-v1-lines.ts';

const withTrace = (more: object) => episode({ traces: [trace(more)] });
const withNodes = (nodes: readonly object[], more: object = {}) => withTrace({ nodes, calls: [], ...more });

test('an episode of one trace: identity, order, and what its run says', async () => {
  const events = await eventsOf(verifiersV1, [episode()]);
  expect(events.map(({ kind }) => kind)).toEqual([
    ...['start', 'phase', 'phase', 'message', 'message', 'model_call', 'tool_result', 'model_call', 'phase', 'end'],
    ...['phase', 'phase', 'verdict'],
  ]);
  expect(events[0]).toMatchObject({
    env_name: 'math-train',
    task_id: 'task-3',
    group_id: 'group-9',
    group_size: null,
    rollout_id: 'trace-a',
    purpose: 'train',
    started_at: 1_760_000_000_000_000,
    source: { format: 'verifiers-v1', version: '0.4.0' },
    start: {
      weights_version: '11',
      sampling: { temperature: 0.7, top_k: 20, top_p: null, extra_json: null },
      limits: { max_turns: 8, max_tokens: 4096, max_wall_us: null },
      task_metadata_json: '{"idx":3,"prompt":"6 × 7?","answer":"42"}',
    },
  });
  expect(events[0]?.start?.prompt?.toString()).toBe('6 × 7?');
  expect(only(events, 'phase').map(({ phase, seq }) => [phase?.phase, phase?.detail, seq === null])).toEqual([
    ['sandbox_setup', 'boot', false],
    ['agent_setup', 'setup', false],
    ['other', 'agent', false],
    ['cleanup', 'finalize', true],
    ['verify', 'scoring', true],
  ]);
  expect(only(events, 'phase').at(-1)).toMatchObject({
    started_at: 1_760_000_005_250_000,
    ended_at: 1_760_000_006_000_000,
    duration_us: null,
  });
});

test('each call takes the tokens that its node adds, and those given since the call before', async () => {
  const [first, second] = only(await eventsOf(verifiersV1, [episode()]), 'model_call');
  expect(first?.model_call).toMatchObject({
    call_id: 'call-0',
    model: 'Qwen/Qwen3-4B',
    prompt_prefix_len: 0,
    finish_reason: 'tool_calls',
    sampling: { temperature: 0.5, max_tokens: 64, extra_json: '{"reasoning_effort":"low"}' },
    // What was read from the cache is part of the prompt.
    usage: { prompt_tokens: 5, completion_tokens: 2, cached_tokens: 3, reasoning_tokens: 1 },
    weight_spans: [{ start: 0, version: '11' }],
    raw_text: null,
  });
  expect(idsOf(first?.model_call?.prompt_delta_ids)).toEqual([1, 2, 3, 4, 5]);
  expect(idsOf(first?.model_call?.completion_ids)).toEqual([10, 11]);
  expect(floatsOf(first?.model_call?.completion_logprobs)).toEqual([-0.15625, -0.171875]);
  expect(second?.model_call?.prompt_prefix_len).toBe(7);
  expect(idsOf(second?.model_call?.prompt_delta_ids)).toEqual([6, 7, 5]);
  expect(idsOf(second?.model_call?.completion_ids)).toEqual([12, 13, 14]);
  expect([first?.started_at, first?.ended_at]).toEqual([1_760_000_001_250_000, 1_760_000_002_500_000]);
});

test('tool calls are as the model wrote them, and their results answer the call that asked', async () => {
  const events = await eventsOf(verifiersV1, [episode()]);
  const [call] = only(events, 'model_call')[0]?.model_call?.tool_calls ?? [];
  expect(call).toMatchObject({ call_id: 'c1', name: 'calc', arguments_parsed: null, parse_status: 'unknown' });
  expect(call?.arguments_raw?.toString()).toBe('{"e": "6*7"}');
  expect(only(events, 'tool_result')[0]?.tool_result).toMatchObject({ call_id: 'c1', turn: 0, name: 'calc' });
});

describe('rewards', () => {
  const verdictOf = async (more: object) => (await eventsOf(verifiersV1, [withTrace(more)])).at(-1)?.verdict;

  test('each counts times its weight, and the report keeps both', async () => {
    const verdict = await verdictOf({});
    expect(verdict).toMatchObject({ scorer: 'verifiers', status: 'scored', rewards: { correct: 0.5, brief: 0.5 } });
    expect(JSON.parse(verdict?.report_json ?? '')).toEqual({
      rewards: { correct: { score: 1, weight: 0.5 }, brief: { score: 0.25, weight: 2 } },
      metrics: { turns: 2 },
    });
  });

  test('null is not scored, and not 0', async () => {
    const one = await verdictOf({ rewards: { correct: { score: 0 }, brief: null } });
    expect(one).toMatchObject({ status: 'scored', rewards: { correct: 0, brief: null } });
    expect(await verdictOf({ rewards: { correct: null } })).toMatchObject({
      status: 'missing',
      rewards: { correct: null },
    });
  });

  test('a taskset without rewards was not scored', async () => {
    expect(await verdictOf({ rewards: {} })).toMatchObject({ status: 'not_run', rewards: {} });
  });

  test('NaN, which its JSON writes as null, and a bare NaN are no score', async () => {
    expect(await verdictOf({ rewards: { a: { score: null, weight: 1 } } })).toMatchObject({ status: 'missing' });
    const text = JSON.stringify(withTrace({ rewards: { a: { score: 7, weight: 1 } } })).replace(
      '"score":7',
      '"score":NaN',
    );
    expect((await eventsOf(verifiersV1, [text])).at(-1)?.verdict).toMatchObject({ status: 'missing' });
  });

  test('a scoring that ran out of time or raised has no reward, whatever it had summed up', async () => {
    const late = { ok: true, is_timeout: true, stop_condition: 'scoring_timeout' };
    expect(await verdictOf(late)).toMatchObject({ status: 'timeout', rewards: { correct: null, brief: null } });
    const raised = { ok: false, errors: [{ type: 'TaskError', message: 'scoring: ValueError' }] };
    expect(await verdictOf(raised)).toMatchObject({ status: 'crash', rewards: { correct: null, brief: null } });
  });

  test('what failed before scoring was not run', async () => {
    const failed = { ok: false, stop_condition: 'sandbox_error', rewards: {}, timing: { start: 1_760_000_000 } };
    expect(await verdictOf({ ...failed, errors: [{ type: 'SandboxError', message: 'gone' }] })).toMatchObject({
      status: 'not_run',
    });
  });
});

describe('why it ended', () => {
  const endOf = async (more: object) => only(await eventsOf(verifiersV1, [withTrace(more)]), 'end')[0];

  test('the stop condition, beside what the engine said last', async () => {
    expect((await endOf({ stop_condition: 'max_turns' }))?.end).toMatchObject({
      reasons: [{ raw: 'max_turns', system: 'verifiers', after_end: false }],
      exception: null,
    });
  });

  test('an error that stopped it is its exception', async () => {
    const errors = [
      { type: 'ProviderError', message: 'first try', status_code: 503 },
      { type: 'SandboxError', message: 'gone', traceback: 'Traceback …' },
    ];
    const end = await endOf({ ok: false, stop_condition: 'sandbox_error', errors });
    expect(end?.end).toMatchObject({
      reasons: [{ raw: 'sandbox_error' }],
      exception: { type: 'SandboxError', message: 'gone' },
    });
    expect(JSON.parse(end?.extra_json ?? '').errors).toEqual(errors);
  });

  test('an error after it had stopped is kept as such and decides nothing', async () => {
    const end = await endOf({ ok: false, errors: [{ type: 'TaskError', message: 'finalize: OSError' }] });
    expect(end?.end).toMatchObject({
      reasons: [
        { raw: 'agent_completed', after_end: false },
        { raw: 'TaskError', after_end: true, detail: 'finalize: OSError' },
      ],
      exception: null,
    });
  });

  test('errors of earlier tries of a trace that came out well are no exception', async () => {
    const end = await endOf({ errors: [{ type: 'ProviderError', message: '503' }] });
    expect(end?.end?.exception).toBeNull();
    expect(JSON.parse(end?.extra_json ?? '').errors).toHaveLength(1);
  });

  test('none is an empty reason, which no taxonomy maps', async () => {
    expect((await endOf({ stop_condition: null }))?.end?.reasons).toMatchObject([{ raw: '' }]);
  });
});

test('answers that interceptors replaced: who did is kept, and a stop may be theirs', async () => {
  const rewrites = { request_rewrites: [{ handler: 'hide' }], response_rewrites: [{ handler: 'redact' }] };
  const events = await eventsOf(verifiersV1, [withTrace(rewrites)]);
  expect(JSON.parse(only(events, 'end')[0]?.extra_json ?? '')).toMatchObject(rewrites);
  const [first, second] = only(events, 'model_call');
  // An interceptor leaves no tool calls.
  expect(first?.model_call?.finish_reason).toBe('tool_calls');
  expect(second?.model_call?.finish_reason).toBeNull();
  expect(JSON.parse(second?.extra_json ?? '')).toMatchObject({ finish_reason: 'stop' });
});

test('a call that failed is one of its own, before the next; one whose answer nobody took stays beside the end', async () => {
  const error = { type: 'ProviderError', message: 'overloaded', status_code: 503 };
  const time = { start: 1_760_000_000.75, end: 1_760_000_001 };
  const calls = [{ node: 2 }, { model: 'm', error, time }, { node: 4 }, { model: 'm', finish_reason: 'length' }];
  const events = await eventsOf(verifiersV1, [withTrace({ calls })]);
  expect(only(events, 'model_call').map(({ model_call }) => [model_call?.call_id, model_call?.error?.type])).toEqual([
    ['call-0', undefined],
    ['call-1', 'ProviderError'],
    ['call-2', undefined],
  ]);
  const [, failed] = only(events, 'model_call');
  expect(failed?.model_call).toMatchObject({ completion_ids: null, error: { message: 'overloaded' } });
  expect(failed?.ended_at).toBe(1_760_000_001_000_000);
  expect(JSON.parse(failed?.extra_json ?? '')).toEqual({ error: { status_code: 503 } });
  expect(JSON.parse(only(events, 'end')[0]?.extra_json ?? '').unused_calls).toEqual([
    { model: 'm', finish_reason: 'length' },
  ]);
});

test('what was given as context is input, also an assistant’s message and its tool result', async () => {
  const given = { id: 'c0', type: 'function', name: 'calc', arguments: '{}' };
  const nodes = [
    node(null, user('a'), [1]),
    node(0, assistant('', given), [2]),
    node(1, { role: 'tool', tool_call_id: 'c0', content: '1' }, [3]),
    node(2, assistant('done'), [4, 5], 1),
  ];
  const events = await eventsOf(verifiersV1, [withNodes(nodes)]);
  expect(only(events, 'message').map(({ message }) => message?.role)).toEqual(['user', 'assistant', 'tool']);
  expect(only(events, 'model_call')).toHaveLength(1);
  expect(only(events, 'tool_result')).toHaveLength(0);
});

test('a trace without token ids is there, and says that it has none', async () => {
  const nodes = [node(null, user('a'), []), node(0, assistant('b'), [], 0)];
  const [call] = only(await eventsOf(verifiersV1, [withNodes(nodes)]), 'model_call');
  expect(call?.model_call).toMatchObject({ call_id: 'node-1', completion_ids: null, prompt_delta_ids: null });
  // Without a record of the call, the node was made when it was answered.
  expect(call?.ended_at).toBe(1_760_000_010_500_000);
});

test('no value of an episode is dropped', () => {
  const nodes = [
    ...lineOfNodes(),
    node(3, user('again'), [9], null, { is_content: [true], semantic_parents: [{ node: 4, type: 'continuation' }] }),
    node(5, assistant('no'), [5, 16], 1, { advantages: [0.5], entropies: [1.5], tools: [{ name: 'other' }] }),
  ];
  const whole = episode({ traces: [trace({ nodes, root_reply: 'no', extra_usage: [{ prompt_tokens: 1 }] })] });
  const mapping = explainMapping(verifiersV1, [JSON.parse(JSON.stringify(whole))], CONTEXT);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
});

describe('an episode is refused by name, whole', () => {
  const [system, question, call, result, answer] = lineOfNodes();
  const nodesWith = (at: number, more: object) =>
    [system, question, call, result, answer].map((one, i) => ({ ...one, ...(i === at ? more : {}) }));
  test.each([
    ['traces[0].version', { version: 2 }, 'expected 1, got 2'],
    ['traces[0].nodes[2].mask', { nodes: nodesWith(2, { mask: [false, true] }) }, '2 values for 3 token_ids'],
    [
      'traces[0].nodes[2].mask[2]',
      { nodes: nodesWith(2, { mask: [true, false, true] }) },
      'expected one run of sampled tokens, got another run',
    ],
    [
      'traces[0].nodes[2].mask[0]',
      { nodes: nodesWith(2, { mask: ['x', true, true] }) },
      'expected true or false, got "x"',
    ],
    ['traces[0].nodes[2].logprobs', { nodes: nodesWith(2, { logprobs: [-1] }) }, '1 value for 2 sampled tokens'],
    [
      'traces[0].nodes[2].token_ids[1]',
      { nodes: nodesWith(2, { token_ids: [5, -1, 11] }) },
      'expected a token id from 0 to 4294967295, got -1',
    ],
    [
      'traces[0].nodes[1].mask',
      { nodes: nodesWith(1, { mask: [false, true] }) },
      'expected no sampled token, since sampled is false, got 1',
    ],
    [
      'traces[0].nodes[3].parent',
      { nodes: nodesWith(3, { parent: 3 }) },
      'expected the index of an earlier node than 3, or null, got 3',
    ],
    [
      'traces[0].nodes[3].sampled',
      { nodes: nodesWith(3, { sampled: true, mask: [true, true], logprobs: [] }) },
      'expected false for a message that is not the assistant’s, got true',
    ],
    ['traces[0].calls[0].node', { calls: [{ node: 1 }] }, 'expected a node that was sampled, got 1, which is not'],
    ['traces[0].calls[0].node', { calls: [{ node: 9 }] }, 'expected a node that was sampled, got 9 of 5'],
    ['traces[0].rewards.a.score', { rewards: { a: { score: 'one' } } }, 'expected a number or null, got "one"'],
    ['traces[0].stop_condition', { stop_condition: 4 }, 'expected a string, got 4'],
  ])('%s', async (field, change, message) => {
    expect(await refusalOf(verifiersV1, withTrace(change))).toMatchObject({ field, message: `${field}: ${message}` });
  });

  test('a line that was torn takes its whole episode with it, and no other', async () => {
    const text = JSON.stringify(episode());
    const taken = await imported(verifiersV1, `${text}\n${text.slice(0, -40)}`, {}, 'traces.jsonl');
    expect(taken.map((one) => 'refused' in one)).toEqual([false, true]);
  });
});

test('episodes and bare traces are known by what they hold', () => {
  const parsed = (value: object) => JSON.parse(JSON.stringify(value));
  expect(detectFormat([parsed(episode())], '')?.importer.name).toBe('verifiers-v1');
  expect(detectFormat([parsed(trace())], '')?.importer.name).toBe('verifiers-v1');
});
