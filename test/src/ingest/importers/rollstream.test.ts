import { describe, expect, test } from 'vitest';
import { rollstream } from '../../../../src/ingest/importers/rollstream.ts';
import { eventsOf, floatsOf, idsOf, refusalOf } from './imported.ts';

const start = { kind: 'start', rollout_id: 'r', seq: 0, start: { prompt: '2+2? \ud83d', seeds: { env: 7 } } };
const call = {
  kind: 'model_call',
  rollout_id: 'r',
  seq: 1,
  model_call: {
    call_id: 'c',
    prompt_delta_ids: [1, 4294967295],
    completion_ids: [2, 3],
    completion_logprobs: [-0.5, -0.1],
    raw_text: 'four',
    weight_spans: [{ start: 0, version: 'v7' }],
  },
};

describe('step events as JSON Lines', () => {
  test('arrays are packed, text is bytes, what is left out has its default', async () => {
    const [first, second] = await eventsOf(rollstream, [start, call]);
    expect(first?.start?.prompt?.toString('hex')).toBe('322b323f20eda0bd');
    expect(first?.start?.seeds).toEqual({ env: 7 });
    expect(idsOf(second?.model_call?.prompt_delta_ids)).toEqual([1, 4294967295]);
    expect(floatsOf(second?.model_call?.completion_logprobs)).toEqual([-0.5, Math.fround(-0.1)]);
    expect(second?.model_call?.raw_text?.toString()).toBe('four');
    expect(second).toMatchObject({
      run_id: 'run',
      purpose: 'train',
      env_name: 'rollstream',
      task_id: 'r',
      epoch: 0,
      attempt: 0,
      group_id: null,
      producer_id: 'import:rollstream',
      source: { format: 'rollstream', location: 'results.jsonl:2' },
      model_call: { logprobs_mode: 'unknown', finish_reason: null, weight_spans: [{ start: 0, version: 'v7' }] },
    });
  });

  test('what a line says goes before the defaults of the import, what the user says before both', async () => {
    const line = { ...start, run_id: 'mine', epoch: 4, group_id: 'g', producer_id: 'worker', event_id: 'e' };
    expect((await eventsOf(rollstream, [line]))[0]).toMatchObject({
      run_id: 'mine',
      epoch: 4,
      task_id: 'g',
      producer_id: 'worker',
      event_id: 'e',
    });
    const overrides = { run_id: 'asked', epoch: 1 };
    expect((await eventsOf(rollstream, [line], { overrides, groupSize: 8 }))[0]).toMatchObject({
      run_id: 'asked',
      epoch: 1,
      group_size: 8,
    });
  });

  test('ids that are integers keep their digits', async () => {
    const line = '{"kind":"start","rollout_id":9007199254740993,"task_id":7,"seq":0,"start":{}}';
    expect((await eventsOf(rollstream, [line]))[0]).toMatchObject({ rollout_id: '9007199254740993', task_id: '7' });
  });

  test('an event without an id gets the same one each time, and another line another', async () => {
    const ids = (await eventsOf(rollstream, [start, call, start])).map(({ event_id }) => event_id);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  test('JSON fields may be unpacked or text', async () => {
    const message = {
      kind: 'message',
      rollout_id: 'r',
      seq: 1,
      message: { role: 'user', parts_json: [{ text: 'q' }] },
    };
    const [packed] = await eventsOf(rollstream, [{ ...message, extra_json: { a: 1 } }]);
    expect(packed).toMatchObject({ message: { parts_json: '[{"text":"q"}]' }, extra_json: '{"a":1}' });
    const text = { ...message, message: { role: 'user', parts_json: '"q"' } };
    expect((await eventsOf(rollstream, [text]))[0]?.message?.parts_json).toBe('"q"');
  });

  test('a reward of NaN is null beside one that is a number', async () => {
    const line =
      '{"kind":"verdict","rollout_id":"r","verdict":{"scorer":"s","status":"scored","rewards":{"a":NaN,"b":0}}}';
    const [event] = await eventsOf(rollstream, [line]);
    expect(event?.verdict?.rewards).toEqual({ a: null, b: 0 });
    expect(event?.extra_json).toBe('{"inexact":{"verdict.rewards.a":{"$number":"NaN"}}}');
  });
});

describe('a reward', () => {
  const line = (reward: string) =>
    `{"kind":"verdict","rollout_id":"r","verdict":{"scorer":"s","status":"scored","rewards":{"a":${reward}}}}`;

  test.each([
    ['"1"', 'got "1"'],
    ['[1]', 'got an array of 1'],
    ['true', 'got true'],
    ['{}', 'got an object'],
  ])('of %s is refused, and not read as a number', async (reward, got) => {
    expect(await refusalOf(rollstream, line(reward))).toMatchObject({
      field: 'verdict.rewards.a',
      message: `verdict.rewards.a: expected a number, ${got}`,
    });
  });

  test.each(['1e400', '-1e400', 'Infinity', 'NaN'])(
    'of %s is null, which is not 0, and kept beside',
    async (reward) => {
      const [event] = await eventsOf(rollstream, [line(reward)]);
      expect(event?.verdict?.rewards).toEqual({ a: null });
      expect(event?.extra_json).toBe(`{"inexact":{"verdict.rewards.a":{"$number":"${reward}"}}}`);
    },
  );
});

describe('what is refused', () => {
  const change = (more: object) => ({ ...call, model_call: { ...call.model_call, ...more } });
  test.each([
    ['kind', { ...start, kind: 'control' }, /^kind: expected one of start, .*, got "control"$/],
    ['start', { ...start, start: null }, /^start: expected an object, since kind is start, got null$/],
    ['end', { ...start, end: { reasons: [] } }, /^end: expected nothing, since kind is start, got an object$/],
    ['seq', { ...start, seq: undefined }, /^seq: expected the place of the start in its attempt, got nothing$/],
    ['model_call.completion_logprob', change({ completion_logprob: [] }), /there is no such field$/],
    ['model_call.call_id', change({ call_id: undefined }), /^model_call.call_id: is missing$/],
    ['model_call.completion_ids[1]', change({ completion_ids: [1, 2 ** 32] }), /got 4294967296$/],
    ['model_call.completion_logprobs[0]', change({ completion_logprobs: ['-inf', 0] }), /got "-inf"$/],
    [
      'model_call.logprobs_mode',
      change({ logprobs_mode: 'cooked' }),
      /expected one of raw, processed, unknown, got "cooked"$/,
    ],
    [
      'model_call.weight_spans[0].start',
      change({ weight_spans: [{ start: 0.5, version: 'v' }] }),
      /expected an integer/,
    ],
    [
      'message.parts_json',
      { kind: 'message', rollout_id: 'r', seq: 1, message: { role: 'user', parts_json: 'q' } },
      /JSON text/,
    ],
    ['rollout_id', { ...start, rollout_id: true }, /^rollout_id: expected an id: a string or an integer, got true$/],
    ['rollout_id', { ...start, rollout_id: undefined }, /^rollout_id: expected an id, got nothing$/],
    ['seq', { ...start, seq: 3 }, /^seq: expected 0, for kind start, got start at 3$/],
    ['group_id', { ...start, group_size: 4 }, /^group_id: expected an id beside group_size, got null$/],
  ])('%s', async (field, line, message) => {
    const refused = await refusalOf(rollstream, line);
    expect(refused?.field).toBe(field);
    expect(refused?.message).toMatch(message);
  });
});
