import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { slime } from '../../../../src/ingest/importers/slime.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, imported, importedDocument, only, refusalOf, sha256 } from './imported.ts';

/** Three prompt tokens, then: two sampled, one of a tool, one sampled. */
function sample(change: object = {}): object {
  return {
    group_index: 7,
    index: 30,
    rollout_id: null,
    prompt: '<user>2+2?',
    tokens: [11, 12, 13, 101, 102, 55, 103],
    response: 'calc<tool>4',
    response_length: 4,
    label: '4',
    reward: 1,
    loss_mask: [1, 1, 0, 1],
    weight_versions: ['8', '9'],
    rollout_log_probs: [-0.5, -0.25, 0, -1.5],
    status: 'completed',
    remove_sample: false,
    metadata: { source: 'math' },
    session_id: 's-1',
    non_generation_time: 1.25,
    spec_info: { spec_accept_token_num: 0 },
    prefix_cache_info: { cached_tokens: 3, total_prompt_tokens: 3 },
    ...change,
  };
}

function callsOf(events: readonly StepEvent[]) {
  return only(events, 'model_call').map(({ model_call: call }) => ({
    prefix: call?.prompt_prefix_len,
    prompt: idsOf(call?.prompt_delta_ids),
    completion: idsOf(call?.completion_ids),
    logprobs: floatsOf(call?.completion_logprobs),
    spans: call?.weight_spans,
    text: call?.raw_text?.toString() ?? null,
  }));
}

describe('a sample', () => {
  test('its response is cut where the mask changes: what nobody sampled is the prompt of the next call', async () => {
    const events = await eventsOf(slime, [sample()]);
    expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['start', 0],
      ['model_call', 1],
      ['model_call', 2],
      ['phase', 3],
      ['end', 4],
      ['verdict', null],
    ]);
    expect(callsOf(events)).toEqual([
      {
        prefix: 0,
        prompt: [11, 12, 13],
        completion: [101, 102],
        logprobs: [-0.5, -0.25],
        spans: [{ start: 0, version: '8' }],
        text: null,
      },
      {
        prefix: 5,
        prompt: [55],
        completion: [103],
        logprobs: [-1.5],
        spans: [{ start: 0, version: '9' }],
        text: null,
      },
    ]);
    const [start, , , phase, end, verdict] = events;
    expect(start?.start?.prompt?.toString()).toBe('<user>2+2?');
    expect(start?.start?.task_metadata_json).toBe('{"label":"4","metadata":{"source":"math"}}');
    expect(phase).toMatchObject({ duration_us: 1_250_000, phase: { phase: 'other', detail: 'non_generation_time' } });
    expect(end?.end?.reasons).toEqual([{ raw: 'completed', system: 'slime', detail: null, after_end: false }]);
    expect(JSON.parse(end?.extra_json ?? '')).toMatchObject({ response: 'calc<tool>4' });
    expect(verdict?.verdict).toMatchObject({ scorer: 'slime', status: 'scored', rewards: { reward: 1 } });
  });

  test('without a mask all of the response was sampled, and its text is the completion', async () => {
    const events = await eventsOf(slime, [sample({ loss_mask: null, weight_versions: ['8'] })]);
    expect(callsOf(events)).toEqual([
      {
        prefix: 0,
        prompt: [11, 12, 13],
        completion: [101, 102, 55, 103],
        logprobs: [-0.5, -0.25, 0, -1.5],
        spans: [{ start: 0, version: '8' }],
        text: 'calc<tool>4',
      },
    ]);
    expect(only(events, 'end')[0]?.extra_json).not.toContain('response');
  });

  test('what a tool said at the very end is input that nothing follows', async () => {
    const [, last] = callsOf(await eventsOf(slime, [sample({ loss_mask: [1, 1, 0, 0] })]));
    expect(last).toMatchObject({ prefix: 5, prompt: [55, 103], completion: [], spans: [] });
  });

  test('a sample that was given up before a token came has its prompt alone', async () => {
    const change = { tokens: [11, 12, 13], response: '', response_length: 0, loss_mask: null, rollout_log_probs: null };
    const events = await eventsOf(slime, [sample({ ...change, status: 'aborted', reward: null, weight_versions: [] })]);
    expect(callsOf(events)).toMatchObject([{ prompt: [11, 12, 13], completion: [], logprobs: null }]);
    expect(only(events, 'verdict')[0]?.verdict).toMatchObject({ status: 'not_run', rewards: {} });
    expect(only(events, 'end')[0]?.end?.reasons[0]?.raw).toBe('aborted');
  });

  test('without any tokens the text is a call, and its ids are unknown', async () => {
    const change = { tokens: [], response_length: 0, loss_mask: [], rollout_log_probs: [] };
    expect(callsOf(await eventsOf(slime, [sample(change)]))).toMatchObject([
      { prompt: null, completion: null, text: 'calc<tool>4', spans: [] },
    ]);
  });

  test('a logprob that is missing is null, and the call says where', async () => {
    const [, call] = await eventsOf(slime, [sample({ rollout_log_probs: [-0.5, null, 0, -1.5] })]);
    expect(call?.model_call?.completion_logprobs).toBeNull();
    expect(call?.extra_json).toBe('{"missing_logprobs":[1]}');
  });

  test('a prompt of messages is input, message by message', async () => {
    const prompt = [
      { role: 'system', content: 'be brief' },
      { role: 'assistant', content: 'an example', name: 'x' },
    ];
    const events = await eventsOf(slime, [sample({ prompt })]);
    expect(only(events, 'message').map(({ message }) => [message?.role, message?.parts_json])).toEqual([
      ['system', '"be brief"'],
      ['assistant', '"an example"'],
    ]);
    expect(events[0]?.start?.prompt).toBeNull();
  });
});

describe('weights', () => {
  test.each([
    ['one version all over, however many requests', ['8', '8', '8'], [['8'], ['8']]],
    ['as many as completions: one each', ['8', '9'], [['8'], ['9']]],
    ['more than completions: where each began is not known', ['8', '8', '9'], [[], []]],
    ['fewer than completions', ['8'], [['8'], ['8']]],
    ['none', [], [[], []]],
    ['numbers', [8, 9], [['8'], ['9']]],
  ])('%s', async (_, weight_versions, expected) => {
    const calls = callsOf(await eventsOf(slime, [sample({ weight_versions })]));
    expect(calls.map(({ spans }) => spans?.map(({ version }) => version))).toEqual(expected);
  });

  test('versions that spans do not say are kept at the end', async () => {
    const [end] = only(await eventsOf(slime, [sample({ weight_versions: ['8', '8', '9'] })]), 'end');
    expect(JSON.parse(end?.extra_json ?? '')).toMatchObject({ weight_versions: ['8', '8', '9'] });
  });
});

describe('rewards', () => {
  const verdictOf = async (change: object) => {
    const [event] = only(await eventsOf(slime, [sample(change)]), 'verdict');
    return event?.verdict;
  };

  test('null is not 0', async () => {
    expect(await verdictOf({ reward: null })).toMatchObject({ status: 'missing', rewards: { reward: null } });
    expect(await verdictOf({ reward: 0 })).toMatchObject({ status: 'scored', rewards: { reward: 0 } });
  });

  test('several by name; what is no number stays in the report', async () => {
    const reward = { score: 0.5, format: null, pred: '4', ok: true };
    expect(await verdictOf({ reward })).toMatchObject({
      status: 'scored',
      rewards: { score: 0.5, format: null },
      report_json: JSON.stringify(reward),
    });
  });

  test('NaN is null, and what it was stays in the report', async () => {
    const text = JSON.stringify(sample()).replace('"reward":1', '"reward":NaN');
    const [verdict] = only(await eventsOf(slime, [text]), 'verdict');
    expect(verdict?.verdict).toMatchObject({
      status: 'scored',
      rewards: { reward: null },
      report_json: '{"reward":{"$number":"NaN"}}',
    });
  });
});

describe('why it ended', () => {
  test.each(['pending', 'completed', 'truncated', 'aborted', 'failed'])('%s, as slime says it', async (status) => {
    const [end] = only(await eventsOf(slime, [sample({ status })]), 'end');
    expect(end?.end?.reasons.map(({ raw, system }) => [raw, system])).toEqual([[status, 'slime']]);
    expect(only(await eventsOf(slime, [sample({ status })]), 'model_call')[0]?.model_call?.finish_reason).toBeNull();
  });

  test('no status is an empty reason, and a sample that is to be left out says so beside it', async () => {
    const [end] = only(await eventsOf(slime, [sample({ status: null, remove_sample: true })]), 'end');
    expect(end?.end?.reasons.map(({ raw }) => raw)).toEqual(['', 'remove_sample']);
  });
});

describe('identity', () => {
  test('group and index, and a part of the hash: an evaluation begins again at 0', async () => {
    const hash = sha256(JSON.stringify(sample())).slice(0, 12);
    const [start] = await eventsOf(slime, [sample()]);
    expect(start).toMatchObject({ group_id: '7', task_id: '7', rollout_id: `30.${hash}`, attempt: 0 });
    const [other] = await eventsOf(slime, [sample({ reward: 0 })]);
    expect(other?.group_id).toBe('7');
    expect(other?.rollout_id).not.toBe(start?.rollout_id);
  });

  test('without an index a rollout is its line, and has no group', async () => {
    const [start] = await eventsOf(slime, [sample({ index: null, group_index: null })]);
    expect(start).toMatchObject({ group_id: null, rollout_id: expect.stringMatching(/^[0-9a-f]{64}\.0$/) });
  });

  test('a dump names its step; several samples of one index are told apart', async () => {
    const dump = { rollout_id: 3, samples: [sample(), sample({ response: 'x', rollout_id: 30 })], note: 'n' };
    const starts = only(await eventsOf(slime, [dump]), 'start');
    expect(starts.map(({ group_id }) => group_id)).toEqual(['3/7', '3/7']);
    const [first, second] = starts.map(({ rollout_id }) => rollout_id);
    expect(first).toMatch(/^3\/30\.[0-9a-f]{12}$/);
    expect(second).toBe(`${first}.1`);
    expect(starts[0]?.extra_json).toContain('"dump":{"note":"n"}');
  });

  test('integers beyond 2^53 keep their digits', async () => {
    const text = JSON.stringify(sample()).replace('"group_index":7', '"group_index":9007199254740993');
    const [start] = await eventsOf(slime, [text]);
    expect(start?.group_id).toBe('9007199254740993');
  });

  test('the same bytes give the same events', async () => {
    const twice = await eventsOf(slime, [sample(), sample()]);
    const ids = twice.map(({ event_id }) => event_id);
    expect(ids.slice(0, ids.length / 2)).toEqual(ids.slice(ids.length / 2));
  });

  test('a dump as one document is the same as a line of it', async () => {
    const taken = await importedDocument(slime, { 'rollout_3.json': { rollout_id: 3, samples: [sample()] } });
    const [line] = await imported(slime, `${JSON.stringify({ rollout_id: 3, samples: [sample()] })}\n`);
    const kindsOf = (result: typeof taken | undefined) =>
      result && 'events' in result ? result.events.map(({ kind, group_id }) => [kind, group_id]) : [];
    expect(kindsOf(taken)).toEqual(kindsOf(line));
    expect(kindsOf(taken)).toHaveLength(6);
  });
});

describe('what is as large as the tokens', () => {
  test('stays in the source: its place and hash travel', async () => {
    const teacher_log_probs = Array.from({ length: 20 }, (_, i) => -i / 8);
    const rollout_routed_experts = [[1, 2]];
    const [end] = only(await eventsOf(slime, [sample({ teacher_log_probs, rollout_routed_experts })]), 'end');
    const extra = JSON.parse(end?.extra_json ?? '');
    expect(extra.teacher_log_probs).toEqual({
      uri: 'results.jsonl:1#teacher_log_probs',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      of: 'float64',
      count: 20,
    });
    expect(extra.rollout_routed_experts).toEqual({
      uri: 'results.jsonl:1#rollout_routed_experts',
      sha256: sha256('[[1,2]]'),
      length: 7,
    });
  });

  test('one number all over is kept as it is', async () => {
    const [end] = only(await eventsOf(slime, [sample({ teacher_log_probs: Array(20).fill(-1) })]), 'end');
    expect(JSON.parse(end?.extra_json ?? '').teacher_log_probs).toEqual({ all: -1, count: 20 });
  });
});

describe('what is refused', () => {
  test.each([
    ['loss_mask', { loss_mask: [1, 1, 0] }, '3 values for 4 response tokens'],
    ['loss_mask[1]', { loss_mask: [1, 2, 0, 1] }, 'expected 0 or 1, got 2'],
    ['rollout_log_probs', { rollout_log_probs: [0] }, '1 value for 4 response tokens'],
    ['rollout_log_probs[2]', { rollout_log_probs: [0, 0, 'x', 0] }, 'expected a number or null, got "x"'],
    ['response_length', { response_length: 8 }, 'expected at most 7, as many as tokens, got 8'],
    ['response_length', { response_length: null, loss_mask: null }, 'expected a number of tokens, got null'],
    ['tokens[0]', { tokens: [-1, 1, 1, 1, 1, 1, 1] }, 'expected a token id from 0 to 4294967295, got -1'],
    ['reward', { reward: 'good' }, 'expected a number or null, got "good"'],
    ['remove_sample', { remove_sample: 'yes' }, 'expected true or false, got "yes"'],
    ['status', { status: 3 }, 'expected a string, got 3'],
    ['weight_versions[0]', { weight_versions: [null] }, 'expected a version, got null'],
  ])('%s', async (field, change, message) => {
    expect(await refusalOf(slime, sample(change))).toMatchObject({ field, message: `${field}: ${message}` });
  });

  test('within a dump the path says which sample', async () => {
    const refusal = await refusalOf(slime, { rollout_id: 0, samples: [sample(), sample({ loss_mask: [] })] });
    expect(refusal?.field).toBe('samples[1].loss_mask');
  });
});

test('no value of a sample is dropped', () => {
  const text = JSON.stringify({ rollout_id: 3, samples: [sample({ later: { added: ['field'] } })] });
  const mapping = explainMapping(slime, [JSON.parse(text)], CONTEXT);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
});

test('lines and dumps are known by what they hold', () => {
  const parsed = JSON.parse(JSON.stringify(sample()));
  expect(detectFormat([parsed], '')?.importer.name).toBe('slime');
  expect(detectFormat([{ rollout_id: 1, samples: [parsed] }], '')?.importer.name).toBe('slime');
});
