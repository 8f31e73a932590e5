import { describe, expect, test } from 'vitest';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { verifiers } from '../../../../src/ingest/importers/verifiers.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, only, refusalOf, sha256 } from './imported.ts';
import { firstRow, METADATA, middleRow, row } from './verifiers-rows.ts';

const BESIDE = { sidecars: { 'metadata.json': METADATA } };
const json = (text: string | null | undefined) => JSON.parse(text ?? '');

test('a row: identity, order, and what the metadata beside it says of all rows', async () => {
  const text = JSON.stringify(row());
  const events = await eventsOf(verifiers, [text], BESIDE);
  expect(events.map(({ kind }) => kind)).toEqual([
    ...['start', 'phase', 'message', 'model_call', 'tool_result', 'model_call', 'end', 'phase', 'verdict'],
  ]);
  const hash = sha256(text);
  expect(events[0]).toMatchObject({
    env_name: 'math-tools',
    task_id: '4',
    group_id: `4@${hash.slice(0, 8)}`,
    group_size: 3,
    rollout_id: `4/${hash.slice(0, 16)}.0`,
    started_at: 1_760_000_000_000_000,
    source: { format: 'verifiers', version: '0.1.14' },
    start: {
      sampling: { temperature: 0.7, max_tokens: 512, extra_json: '{"extra_body":{"min_p":0.1}}' },
      tools_json: '[{"name":"fetch","description":"gets","parameters":{}}]',
      task_metadata_json: '{"answer":"42","info":{"source":"book"}}',
    },
  });
  const { avg_reward, model, sampling_args, ...facts } = METADATA;
  expect(json(events[0]?.extra_json)).toEqual({ metadata: facts });
});

test('calls have their names, their times, and no token that the file has not', async () => {
  const [first, second] = only(await eventsOf(verifiers, [row()], BESIDE), 'model_call');
  expect(first).toMatchObject({
    started_at: 1_760_000_001_000_000,
    ended_at: 1_760_000_002_000_000,
    duration_us: 1_000_000,
    model_call: { model: 'Qwen/Qwen3-4B', completion_ids: null, raw_text: null, finish_reason: null },
  });
  expect(second?.started_at).toBe(1_760_000_003_000_000);
  expect(json(second?.extra_json)).toEqual({ content: 'It is 42.' });
});

test('tool calls that are JSON in a string in JSON are read to the letter', async () => {
  const events = await eventsOf(verifiers, [row()]);
  const [call] = only(events, 'model_call')[0]?.model_call?.tool_calls ?? [];
  expect([call?.call_id, call?.name, call?.arguments_raw?.toString()]).toEqual(['c1', 'fetch', '{"url": "a"}']);
  expect(only(events, 'tool_result')[0]?.tool_result).toMatchObject({ call_id: 'c1', turn: 0, name: 'fetch' });
});

describe('the first results', () => {
  test('no reason is no reason; reward functions are the verifier’s report', async () => {
    const events = await eventsOf(verifiers, [firstRow()]);
    expect(only(events, 'end')[0]?.end?.reasons).toMatchObject([{ raw: '', system: 'verifiers' }]);
    // Before the end: an ending that is unknown is decided at once.
    expect(only(events, 'verdict')[0]?.verdict).toMatchObject({ status: 'scored', rewards: { reward: 1.25 } });
    expect(events.findIndex(({ kind }) => kind === 'verdict')).toBeLessThan(
      events.findIndex(({ kind }) => kind === 'end'),
    );
    expect(json(only(events, 'verdict')[0]?.verdict?.report_json)).toEqual({ judge_reward: 1 });
    expect(events[0]?.start?.tools_json).toContain('"fetch"');
    expect(only(events, 'phase')[0]).toMatchObject({ phase: { phase: 'verify' }, duration_us: 457_105, seq: null });
    expect(json(only(events, 'end')[0]?.extra_json)).toMatchObject({ generation_ms: 4811.769 });
  });

  test('answers without an id are the calls’ in their order, where there are as many', async () => {
    const [paired] = only(await eventsOf(verifiers, [firstRow()]), 'tool_result');
    expect(paired?.tool_result).toMatchObject({ call_id: 'c1', turn: 0, name: 'fetch' });
    expect(json(paired?.extra_json)).toEqual({ paired_by: 'order' });
    const completion = [
      {
        role: 'assistant',
        content: '',
        tool_calls: ['{"id":"c1","name":"a","arguments":"{}"}', '{"id":"c2","name":"b","arguments":"{}"}'],
      },
      { role: 'tool', content: 'one of them' },
    ];
    const [orphan] = only(await eventsOf(verifiers, [firstRow({ completion })]), 'tool_result');
    expect(orphan?.tool_result).toMatchObject({ call_id: '', turn: null, name: null });
  });
});

test('tools are those of the row, under whichever name', async () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  for (const more of [{ oai_tools: tools }, { oai_tools: JSON.stringify(tools) }, { tool_defs: tools }])
    expect((await eventsOf(verifiers, [middleRow(more)]))[0]?.start?.tools_json).toBe(JSON.stringify(tools));
});

test('a text that was completed is what the model wrote', async () => {
  const events = await eventsOf(verifiers, [middleRow()]);
  expect(only(events, 'message')[0]?.message).toMatchObject({ role: 'text', parts_json: '"Once upon a time"' });
  expect(only(events, 'model_call')[0]?.model_call?.raw_text?.toString()).toBe(' there was a');
  expect(only(events, 'end')[0]?.end?.reasons).toMatchObject([{ raw: 'max_turns_reached' }]);
});

describe('rewards', () => {
  const verdictOf = async (more: object) => (await eventsOf(verifiers, [row(more)])).at(-1)?.verdict;

  test('one beside an error is no score, and is kept', async () => {
    const verdict = await verdictOf({ reward: 0, error: { error: 'ModelError', message: 'down' } });
    expect(verdict).toMatchObject({ status: 'not_run', rewards: { reward: null } });
    expect(json(verdict?.report_json)).toMatchObject({ reward: 0, metrics: { correct: 1 } });
  });

  test('null is missing; NaN is no number and is kept', async () => {
    expect(await verdictOf({ reward: null })).toMatchObject({ status: 'missing', rewards: { reward: null } });
    const text = JSON.stringify(row({ reward: 7.5 })).replace('"reward":7.5', '"reward":NaN');
    const verdict = (await eventsOf(verifiers, [text])).at(-1)?.verdict;
    expect(verdict).toMatchObject({ status: 'scored', rewards: { reward: null } });
    expect(json(verdict?.report_json).reward).toEqual({ $number: 'NaN' });
  });

  test('0 beside metrics that are there and empty is what is written where scoring is off', async () => {
    expect(await verdictOf({ reward: 0, metrics: {} })).toMatchObject({ status: 'not_run', rewards: { reward: null } });
    expect(await verdictOf({ reward: 0 })).toMatchObject({ status: 'scored', rewards: { reward: 0 } });
  });
});

describe('errors', () => {
  const endOf = async (more: object) => only(await eventsOf(verifiers, [row(more)]), 'end')[0];

  test('where the reason is that there was one, its class is the reason', async () => {
    const error = {
      error: 'ModelError',
      message: 'connection refused',
      error_chain_repr: "ModelError('connection refused') -> APIConnectionError()",
      error_chain_str: 'ModelError -> APIConnectionError',
    };
    const more = { error, error_chain: error.error_chain_repr, long_error_chain: error.error_chain_str };
    const end = await endOf({ ...more, stop_condition: 'has_error', completion: null });
    expect(end?.end).toMatchObject({
      reasons: [{ raw: 'ModelError', detail: 'connection refused' }],
      exception: { type: 'ModelError', message: 'connection refused' },
    });
    expect(json(end?.extra_json)).toMatchObject({
      stop_condition: 'has_error',
      error: { error_chain_str: 'ModelError -> APIConnectionError' },
    });
  });

  test('a text begins with its class', async () => {
    const end = await endOf({ error: "SandboxError('gone')", stop_condition: 'has_error' });
    expect(end?.end).toMatchObject({
      reasons: [{ raw: 'SandboxError' }],
      exception: { type: 'SandboxError', message: "SandboxError('gone')" },
    });
    expect((await endOf({ error: 'it broke', stop_condition: 'has_error' }))?.end).toMatchObject({
      reasons: [{ raw: 'has_error' }],
      exception: { type: null, message: 'it broke' },
    });
  });
});

describe('identity', () => {
  const startsOf = async (rows: readonly unknown[], context = {}) =>
    only(await eventsOf(verifiers, rows, context), 'start');

  test('rollouts of an example are a group of the file, and equal rows are told apart', async () => {
    const starts = await startsOf([row(), row(), row({ reward: 1 })]);
    expect(new Set(starts.map(({ group_id }) => group_id)).size).toBe(1);
    expect(new Set(starts.map(({ rollout_id }) => rollout_id)).size).toBe(3);
    expect(starts.map(({ group_size }) => group_size)).toEqual([null, null, null]);
  });

  test('an example of another file of the same run is another group', async () => {
    const [one] = await startsOf([row()]);
    const [two] = await startsOf([row({ reward: 0.25 })]);
    expect(one?.task_id).toBe(two?.task_id);
    expect(one?.group_id).not.toBe(two?.group_id);
  });

  test('one rollout of each example is no group', async () => {
    const sidecars = { 'metadata.json': { ...METADATA, rollouts_per_example: 1 } };
    expect((await startsOf([row()], { sidecars }))[0]).toMatchObject({ group_id: null, group_size: null });
  });

  test('environments that share a file count for themselves', async () => {
    const starts = await startsOf([row({ task: 'math' }), row({ task: 'code' })]);
    expect(starts.map(({ task_id }) => task_id)).toEqual(['math/4', 'code/4']);
    expect(starts[0]?.group_id).not.toBe(starts[1]?.group_id);
  });

  test('ids beyond 2^53 keep their digits; a row without one is its bytes', async () => {
    const text = JSON.stringify(row()).replace('"example_id":4', '"example_id":9007199254740993');
    expect((await startsOf([text]))[0]?.task_id).toBe('9007199254740993');
    const bare = JSON.stringify(row({ example_id: null }));
    expect((await startsOf([bare]))[0]).toMatchObject({ rollout_id: `${sha256(bare)}.0`, group_id: null });
  });

  test('the same bytes give the same events', async () => {
    const ids = async () => (await eventsOf(verifiers, [row(), row()])).map(({ event_id }) => event_id);
    expect(await ids()).toEqual(await ids());
  });
});

test.each([
  ['now', row({ later: { added: ['field'] }, id: 'x', is_truncated: true, oai_tools: [1] })],
  ['first', firstRow({ note: 'n' })],
  [
    'between',
    middleRow({ error: 'ModelError: x', stop_condition: 'has_error', oai_tools: '[{"name":"f"}]', tool_defs: null }),
  ],
])('no value of a row is dropped: %s', (_, value) => {
  const context = { ...CONTEXT, sidecars: {} };
  const mapping = explainMapping(verifiers, [JSON.parse(JSON.stringify(value))], context);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
});

describe('refused by name', () => {
  test.each([
    ['completion', { completion: { role: 'assistant' } }, 'expected messages, text or null, got an object'],
    ['prompt', { prompt: 4 }, 'expected messages, text or null, got 4'],
    ['reward', { reward: 'high' }, 'expected a number or null, got "high"'],
    ['stop_condition', { stop_condition: true }, 'expected a string, got true'],
    ['error', { error: 4 }, 'expected an object, got 4'],
    ['example_id', { example_id: 0.5 }, 'expected an id: a string or an integer, got 0.5'],
  ])('%s', async (field, change, message) => {
    expect(await refusalOf(verifiers, row(change))).toMatchObject({ field, message: `${field}: ${message}` });
  });
});

test('rows of all versions are known by what they hold, and are not taken for another format', () => {
  for (const one of [row(), firstRow(), middleRow()])
    expect(detectFormat([JSON.parse(JSON.stringify(one))], '')?.importer.name).toBe('verifiers');
  expect(detectFormat([{ prompt: 'a', completion: 'b', reward: 1 }], '')?.importer.name).not.toBe('verifiers');
});
