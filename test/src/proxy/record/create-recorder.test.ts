import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FRAME, framesAsBytes } from '../../../../src/proxy/journal/frames.ts';
import { Unreadable } from '../../../../src/proxy/record/create-recorder.ts';
import { streamOf } from './call-files.ts';
import { openInProcess } from './recording-in-process.ts';
import { BEGAN, calls, createSeenCalls, DONE, NAMED, named, SECOND } from './seen-calls.ts';

const world = createSeenCalls();
const { seen, generated } = world;
beforeEach(world.begin);
afterEach(world.end);

describe('a rollout', () => {
  it('is its start, its calls with only what is new of their prompts, and its end', () => {
    const recording = openInProcess(world.folder);
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
    expect(readdirSync(join(world.folder, 'calls'))).toEqual([]);
    expect(readdirSync(join(world.folder, 'recording', 'attempts'))).toEqual([]);
    expect(recorder).toMatchObject({ openRollouts: 0, lostEvents: 0, notAuditable: {} });
  });

  it('is named after the rollout and the proxy where nobody says more', () => {
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder);
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
    const recording = openInProcess(world.folder, { now: () => BEGAN / 1000 + world.count * 1000 });
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
    const recording = openInProcess(world.folder, { now: () => BEGAN / 1000 + world.count * 1000 });
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
    const recording = openInProcess(world.folder);
    const { recorder } = recording;
    recorder.take(seen({ named, ...generated([1], [2]) }));
    recorder.end(NAMED, DONE);
    recorder.verdict(NAMED, { scorer: 'sums', reward: 0.25, eventId: 'v1', report: { right: 1 } });
    recorder.verdict(NAMED, { scorer: 'nan', rewards: { a: Number.NaN, b: null }, eventId: 'v2' });
    const [first, second] = openInProcess(world.folder).events().slice(-2);
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
    const recording = openInProcess(world.folder, { idleMs: 60_000, now: () => now });
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
    const reasons = [{ raw: 'idle', system: 'rollstream-proxy', detail: null }];
    expect(ends).toEqual([
      ['a', reasons],
      ['b', reasons],
    ]);
  });
});

describe('what the loop makes of its answers', () => {
  const told = (request: object) => {
    const recording = openInProcess(world.folder);
    recording.recorder.take(seen({ named, ...generated([1], [2]), request }));
    const [start] = recording.events();
    return JSON.parse(start?.extra_json ?? '{}').lists_calls;
  };

  it('is said not to be recorded where it makes calls of texts and ids itself', () => {
    expect(told(generated([1], [2]).request)).toBe(false);
  });

  it('is what the engine was given tools for', () => {
    expect(told({ ...generated([1], [2]).request, tools: [{ type: 'function' }] })).toBeUndefined();
  });
});

describe('idle', () => {
  it('means what the user says that it means', () => {
    let now = 1_700_000_000_000;
    const recording = openInProcess(world.folder, { idleMs: 60_000, idleReason: 'task_complete', now: () => now });
    recording.recorder.take(seen({ named, ...generated([1], [2]) }));
    now += 62_500;
    recording.recorder.endIdle(new Set());
    const reasons = recording.events().flatMap(({ end }) => end?.reasons ?? []);
    expect(reasons).toEqual([{ raw: 'task_complete', system: 'rollstream', detail: null }]);
  });
});

describe('the same request again', () => {
  const failed = { status: 503, answer: { error: { message: 'busy', type: 'overloaded' } } };

  it('after errors is one call, with what came of it before as its attempts', () => {
    const recording = openInProcess(world.folder);
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
    expect(readdirSync(join(world.folder, 'calls'))).toEqual([]);
  });

  it('that never comes leaves a call that failed, told when the client goes on or the rollout ends', () => {
    const recording = openInProcess(world.folder);
    const { recorder } = recording;
    recorder.take(seen({ named, request: generated([1, 2], []).request, ...failed }));
    recorder.take(seen({ named, ...generated([1, 2, 5], [6]) }));
    recorder.take(
      seen({ named, request: { input_ids: [8] }, answer: null, end: { how: 'upstream_timeout', detail: '60 s' } }),
    );
    expect(calls(recording)).toMatchObject([
      {
        ...{ call_id: 'call-0', error: { type: 'overloaded', message: 'busy' }, prompt_delta_ids: [1, 2] },
        sampling: { temperature: 1 },
      },
      { prompt_prefix_len: 0, prompt_delta_ids: [1, 2, 5], completion_ids: [6] },
    ]);
    recorder.end(NAMED, DONE);
    expect(calls(recording)[2]).toMatchObject({ error: { type: 'upstream_timeout', message: '60 s' } });
    expect(recorder.notAuditable).toEqual({});
  });

  it('outlives a restart between its tries', () => {
    const { request } = generated([1, 2], [3]);
    openInProcess(world.folder).recorder.take(seen({ named, request, ...failed }));
    const recording = openInProcess(world.folder);
    recording.recorder.take(seen({ named, ...generated([1, 2], [3]) }));
    expect(calls(recording)).toMatchObject([{ completion_ids: [3], extra: { attempts: [{ call: 'c0' }] } }]);
  });

  it('is one call also where the proxy died in its first try, and again before it took the second', () => {
    const { request } = generated([1, 2], [3]);
    seen({ named, request, answer: null, end: null });
    openInProcess(world.folder);
    seen({ named, ...generated([1, 2], [3]) });
    const found = calls(openInProcess(world.folder));
    expect(found).toMatchObject([
      { completion_ids: [3], extra: { attempts: [{ call: 'c0', error: { type: 'proxy_killed' } }] } },
    ]);
  });

  it('after a whole answer that the client says it never had is told as its retry', () => {
    const recording = openInProcess(world.folder);
    recording.recorder.take(seen({ named, ...generated([1], [2]) }));
    recording.recorder.take(seen({ named, ...generated([1], [3]), headers: { 'x-stainless-retry-count': '1' } }));
    expect(calls(recording).map(({ extra }) => extra.retry_of)).toEqual([undefined, 0]);
  });
});

describe('a state that was damaged', () => {
  it('is put aside, and the others go on', () => {
    const { recorder } = openInProcess(world.folder);
    for (const rollout of ['a', 'b']) recorder.take(seen({ named: { rollout }, ...generated([1], [2]) }));
    const attempts = join(world.folder, 'recording', 'attempts');
    const [name = ''] = readdirSync(attempts);
    writeFileSync(join(attempts, name), Buffer.concat([Buffer.alloc(100), Buffer.from('\n\0\n')]));
    writeFileSync(join(world.folder, 'recording', 'ended.ndjson'), 'no json\n');
    writeFileSync(join(world.folder, 'recording', 'intent'), '+              2no');
    const again = openInProcess(world.folder).recorder;
    expect(again).toMatchObject({ openRollouts: 1, lostEvents: 1 });
    expect(readdirSync(attempts)).toContain(`${name}.damaged`);
  });

  it('is put aside also where it is JSON of another form', () => {
    const { recorder } = openInProcess(world.folder);
    recorder.take(seen({ named, ...generated([1], [2]) }));
    const state = join(world.folder, 'recording');
    const entry = '{"nextSeq":1,"calls":0,"body":null,"segment":null,"found":null}';
    for (const [name, text] of [
      ['attempts/x.attempt', '{}\n{}\n'],
      ['attempts/y.attempt', `{"identity":{}}\n${entry}\n`],
      ['attempts/z.attempt', 'null\nnull\n'],
      ['ended.ndjson', '1\nnull\n{}\n{"identity":{"rollout_id":"a"}}\n'],
      ['intent', `+              2{}`],
    ] as const)
      writeFileSync(join(state, name), text);
    expect(openInProcess(world.folder).recorder).toMatchObject({ openRollouts: 1, lostEvents: 3 });
    writeFileSync(join(state, 'intent'), '+              4null');
    expect(openInProcess(world.folder).recorder).toMatchObject({ openRollouts: 1, lostEvents: 0 });
  });

  it('as a call that nobody can read is put aside, and keeps no attempt from its idle end', () => {
    let now = BEGAN / 1000;
    const recording = openInProcess(world.folder, { idleMs: 1_000, now: () => now });
    const { recorder } = recording;
    recorder.take(seen({ named, ...generated([1], [2]) }));
    const broken = join(world.folder, 'calls', 'c9.call');
    writeFileSync(
      broken,
      framesAsBytes([
        { kind: FRAME.head, sinceUs: 0, bytes: Buffer.from('{"n') },
        { kind: FRAME.request, sinceUs: 0, bytes: Buffer.alloc(0) },
      ]),
    );
    now += 60_000;
    recorder.endIdle(new Set());
    expect(recording.events().at(-1)).toMatchObject({ kind: 'end', rollout_id: 'a' });
    expect(() => recorder.take(broken)).toThrow(Unreadable);
    expect([broken, `${broken}.unread`].map((path) => existsSync(path))).toEqual([false, true]);
    expect(recorder.lostEvents).toBe(1);
  });
});

describe('limits', () => {
  it('a spool without room loses events, and the gap is seen', () => {
    const recording = openInProcess(world.folder, { limits: { spoolBytes: 3000 } });
    for (let n = 0; n < 5; n++) recording.recorder.take(seen({ named, ...generated([1, n], [2]) }));
    const seqs = recording.events().map(({ seq }) => seq);
    expect(recording.recorder.lostEvents).toBe(6 - seqs.length);
    expect(recording.recorder.lostEvents).toBeGreaterThan(0);
    expect(seqs).toEqual(seqs.map((_, i) => i));
  });

  it('what memory lets go of is read back: many rollouts go on as they were', () => {
    const recording = openInProcess(world.folder, { limits: { stateBytes: 20_000 } });
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
    const recording = openInProcess(world.folder, { limits: { waitingCalls: 2 } });
    for (let n = 0; n < 3; n++)
      recording.recorder.take(seen({ named, request: { input_ids: [n] }, status: 500, answer: { error: 'no' } }));
    expect(calls(recording)).toMatchObject([{ prompt_delta_ids: [0], error: { message: 'no' } }]);
    expect(existsSync(join(world.folder, 'calls', 'c1.call'))).toBe(true);
  });
});
