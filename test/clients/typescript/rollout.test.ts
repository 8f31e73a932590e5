import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../../clients/typescript/recorder.ts';
import type { Rollout } from '../../../clients/typescript/rollout.ts';
import { type CollectingServer, type SentEvent, startCollectingServer } from './collecting-server.ts';

let spoolDir = '';
let server: CollectingServer;
let recorder: Recorder;

beforeEach(async () => {
  spoolDir = mkdtempSync(join(tmpdir(), 'rollstream-recorder-'));
  server = await startCollectingServer();
  recorder = new Recorder({ url: server.url, runId: 'r', envName: 'sums', spoolDir, actor: 'worker-3' });
});
afterEach(async () => {
  await recorder.close();
  await server.close();
  rmSync(spoolDir, { recursive: true });
});

/** What arrived of one rollout. */
async function recorded(record: (rollout: Rollout) => void): Promise<SentEvent[]> {
  record(recorder.start({ taskId: 't', rolloutId: 'a' }));
  expect(await recorder.flush()).toBe(true);
  return server.events();
}

async function call(record: Parameters<Rollout['modelCall']>[0]): Promise<SentEvent | undefined> {
  const [, event] = await recorded((rollout) => rollout.modelCall(record));
  return event;
}

describe('the events of an attempt', () => {
  it('carry its identity, and a seq from 0 without gaps, but for verdicts and phases after the end', async () => {
    await recorder.rollout(
      { taskId: 7, groupId: 'g', groupSize: 4, rolloutId: 'a', attempt: 1, epoch: 2 },
      async (r) => {
        r.message('user', 'What is 2 + 2?');
        expect(r.modelCall({ rawText: '4' })).toBe(0);
        r.toolResult('c', '4', { status: 'ok' });
        r.verdict('sums', { reward: 1 });
        await r.phase('sandbox_setup', () => undefined);
        expect(r.modelCall({ rawText: 'so 4' })).toBe(1);
        r.end('task_complete');
        r.phaseDone('cleanup', 12.4);
        r.verdict('late', { status: 'timeout' });
      },
    );
    await recorder.flush();
    const events = server.events();
    const identity = {
      ...{ run_id: 'r', purpose: 'train', env_name: 'sums', task_id: '7', epoch: 2, group_id: 'g', group_size: 4 },
      ...{ rollout_id: 'a', attempt: 1, producer_id: recorder.producerId },
    };
    for (const event of events) expect(event).toMatchObject(identity);
    expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['start', 0],
      ['message', 1],
      ['model_call', 2],
      ['tool_result', 3],
      ['verdict', null],
      ['phase', 4],
      ['model_call', 5],
      ['end', 6],
      ['phase', null],
      ['verdict', null],
    ]);
    expect(events.at(-2)).toMatchObject({ duration_us: 12, phase: { phase: 'cleanup', detail: null, error: null } });
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(10);
  });

  it('say how their producer is, where an attempt begins and ends', async () => {
    const events = await recorded((rollout) => {
      rollout.phaseDone('rate_limit', 1500);
      rollout.phaseDone('rate_limit', 500);
      rollout.phaseDone('sandbox_setup', 70);
      rollout.end('task_complete');
    });
    const producer = { actor: 'worker-3', in_flight: 1, pid: process.pid };
    expect(events[0]?.extra_json).toMatchObject({ producer });
    expect(events.at(-1)?.extra_json).toMatchObject({
      producer: { ...producer, rate_limit_wait_us: 2000, sandbox_us: 70 },
    });
  });

  it('end by themselves: with completed, with the class of the error, or as the loop said', async () => {
    class RateLimitError extends Error {}
    const options = { taskId: 't' };
    expect(await recorder.rollout(options, () => 'passed on')).toBe('passed on');
    const thrown = new RateLimitError('slow down');
    await expect(recorder.rollout(options, () => Promise.reject(thrown))).rejects.toBe(thrown);
    await expect(
      recorder.rollout(options, (r) => {
        r.end('gave_up', { system: 'mine', detail: 'no idea', limit: { kind: 'turns', limit: 3, used: 3 } });
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    await recorder.flush();
    const ends = server.events().flatMap(({ end }) => (end ? [end] : []));
    expect(ends).toEqual([
      { ...none, reasons: [{ raw: 'completed', system: 'rollstream', detail: null }] },
      {
        ...none,
        reasons: [{ raw: 'RateLimitError', system: 'exception', detail: null }],
        exception: { type: 'RateLimitError', message: 'slow down' },
      },
      {
        ...none,
        reasons: [{ raw: 'gave_up', system: 'mine', detail: 'no idea' }],
        limit: { kind: 'turns', limit: 3, used: 3 },
      },
    ]);
  });

  const none = { final_response: null, env_reward: null, exception: null, limit: null };
});

describe('token ids', () => {
  it('travel once: a prompt is the prefix it shares with what is held, and what follows', async () => {
    const events = await recorded((rollout) => {
      rollout.modelCall({ promptIds: [1, 2, 3], completionIds: [4, 5] });
      rollout.modelCall({ promptIds: [1, 2, 3, 4, 5, 6], completionIds: [7] });
      // The history was rewritten at 2.
      rollout.modelCall({ promptIds: [1, 2, 9, 4, 5, 6, 7], completionIds: [8] });
      rollout.modelCall({ promptIds: [1, 2, 9, 4, 5, 6, 7, 8, 10], completionIds: [] });
      // A sub-agent has its own.
      rollout.modelCall({ segmentId: 'search', promptIds: [1, 2], completionIds: [3] });
      rollout.modelCall({ promptDeltaIds: [11], completionIds: [12] });
      rollout.modelCall({ promptPrefixLen: 2, promptDeltaIds: [3], completionIds: [4] });
    });
    const calls = events.flatMap(({ model_call: call }) =>
      call ? [[call.prompt_prefix_len, call.prompt_delta_ids, call.completion_ids]] : [],
    );
    expect(calls).toEqual([
      [0, [1, 2, 3], [4, 5]],
      [5, [6], [7]],
      [2, [9, 4, 5, 6, 7], [8]],
      [8, [10], []],
      [0, [1, 2], [3]],
      [9, [11], [12]],
      [2, [3], [4]],
    ]);
    expect(events[5]).toMatchObject({ segment_id: 'search' });
  });

  it.each([
    ['numbers', [0, 4_294_967_295, 151_643]],
    ['bigints', [0n, 4_294_967_295n, 151_643n]],
    ['Uint32Array', Uint32Array.of(0, 4_294_967_295, 151_643)],
    ['BigInt64Array', BigInt64Array.of(0n, 4_294_967_295n, 151_643n)],
    ['little-endian bytes', Uint8Array.of(0, 0, 0, 0, 255, 255, 255, 255, 0x5b, 0x50, 2, 0)],
  ])('as %s are the same', async (_, ids) => {
    expect(await call({ promptIds: ids, completionIds: ids })).toMatchObject({
      model_call: {
        prompt_delta_ids: [0, 4_294_967_295, 151_643],
        completion_ids: [0, 4_294_967_295, 151_643],
      },
    });
  });

  it.each([
    ['a negative one', [1, -1], 'completionIds[1]', '-1'],
    ['a fraction', [0.5], 'completionIds[0]', '0.5'],
    ['one above 32 bits', [4_294_967_296], 'completionIds[0]', '4294967296'],
    ['NaN', [Number.NaN], 'completionIds[0]', 'NaN'],
  ])('that are none are not made into others: %s', async (_, completionIds, field, got) => {
    const event = await call({ promptIds: [1], completionIds });
    expect(event?.model_call).not.toHaveProperty('completion_ids');
    expect(event?.model_call).not.toHaveProperty('prompt_delta_ids');
    const expected = 'a token id from 0 to 4294967295';
    expect(event?.extra_json).toEqual({ not_recorded: [{ field, expected, got }] });
  });

  it('without those of the prompt have no place, and are kept beside', async () => {
    const event = await call({ completionIds: [1, 2], extra: { mine: 1 } });
    expect(event?.model_call).not.toHaveProperty('completion_ids');
    expect(event?.extra_json).toEqual({ mine: 1, ids_without_prompt: [1, 2] });
  });
});

describe('logprobs', () => {
  const withLogprobs = (completionLogprobs: Parameters<Rollout['modelCall']>[0]['completionLogprobs']) =>
    call({ promptIds: [1], completionIds: [2, 3, 4], completionLogprobs });

  it('are the float32 of the engine to the bit, a negative zero too', async () => {
    const bits = Uint32Array.of(0x8000_0000, 0xbdcc_cccd, 0x8000_0001);
    await withLogprobs(new Float32Array(bits.buffer));
    const text = server.requests[0]?.text.split('\n')[1] ?? '';
    const sent: number[] = JSON.parse(text).model_call.completion_logprobs;
    expect(new Uint32Array(Float32Array.from(sent).buffer)).toEqual(bits);
  });

  it('of which one is missing are not there, and which it is stands beside', async () => {
    const event = await withLogprobs([-0.5, null, -1]);
    expect(event?.model_call).not.toHaveProperty('completion_logprobs');
    expect(event?.extra_json).toEqual({ missing_logprobs: [1] });
  });

  it('that are no finite numbers are told by their words', async () => {
    const event = await withLogprobs([Number.NaN, -1, Number.NEGATIVE_INFINITY]);
    expect(event?.extra_json).toEqual({ unsound_logprobs: { 0: 'NaN', 2: '-Infinity' } });
  });

  it('of another number than there are tokens are not laid over them', async () => {
    const event = await withLogprobs([-1, -2]);
    expect(event?.model_call).toMatchObject({ completion_ids: [2, 3, 4] });
    expect(event?.model_call).not.toHaveProperty('completion_logprobs');
    const expected = '3 values, one a token of completionIds';
    expect(event?.extra_json).toEqual({ not_recorded: [{ field: 'completionLogprobs', expected, got: '2' }] });
  });
});

describe('what JSON cannot say', () => {
  it('is told, and is neither null nor an error in the loop', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const events = await recorded((rollout) => {
      rollout.message('user', [{ text: 'lone \ud800 surrogate', big: 2n ** 60n, nan: Number.NaN }]);
      rollout.message('user', circular);
      rollout.verdict('sums', { rewards: { reward: Number.NaN, style: null } });
      rollout.end('task_complete');
    });
    expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
      ['start', 0],
      ['message', 1],
      // The gap is seen: nothing is trained over it.
      ['verdict', null],
      ['end', 3],
    ]);
    expect(events[1]?.message).toEqual({
      role: 'user',
      parts_json: '[{"text":"lone \\ud800 surrogate","big":"1152921504606846976","nan":"NaN"}]',
    });
    expect(events[2]?.verdict).toMatchObject({ rewards: { reward: null, style: null } });
    expect(events[2]?.extra_json).toEqual({ inexact_rewards: { reward: 'NaN' } });
    expect(recorder.stats()).toMatchObject({ lost: 1, recorded: 4, sent: 4, spooled: 0 });
  });
});

it('a rollout that cannot be told from another is refused before it begins', () => {
  for (const options of [{ taskId: '' }, { taskId: 't', groupSize: 2 }, { taskId: 't', attempt: -1 }])
    expect(() => recorder.start(options)).toThrow(TypeError);
  expect(() => new Recorder({ runId: '', spoolDir })).toThrow(TypeError);
  expect(() => new Recorder({ runId: 'r', url: 'nowhere', spoolDir })).toThrow(TypeError);
  expect(readdirSync(spoolDir)).toHaveLength(1);
});
