import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { a2e, createA2e } from '../../../../src/ingest/importers/a2e.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { createWire, generated, observed, reset, step, T0, wholeEpisode } from './a2e-wire.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, imported, only } from './imported.ts';

const jsonl = (lines: readonly unknown[]): string => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
const us = (seconds: number): number => (T0 + seconds) * 1e6;

function kinds(events: readonly StepEvent[]): string[] {
  return events.map(({ kind, seq }) => `${seq ?? '-'} ${kind}`);
}

function extraOf(event: StepEvent | undefined): Record<string, unknown> {
  return JSON.parse(event?.extra_json ?? '{}');
}

describe('an episode with its recorded calls', () => {
  test('is one rollout, in the order of its times', async () => {
    const events = await eventsOf(a2e, wholeEpisode('e1', { task_id: 't1', group_id: 'g1', group_size: 4 }));
    expect(kinds(events)).toEqual([
      ...['0 start', '1 phase', '2 message', '3 model_call', '4 tool_result', '5 model_call', '6 tool_result', '7 end'],
      ...['- phase', '- verdict'],
    ]);
    expect(events[0]).toMatchObject({
      ...{
        run_id: 'run',
        env_name: 'shop',
        task_id: 't1',
        group_id: 'g1',
        group_size: 4,
        rollout_id: 'e1',
        attempt: 0,
      },
      ...{ producer_id: 'import:a2e', started_at: us(0), start: { seeds: { env: 7 } } },
    });
    expect(events[1]).toMatchObject({
      phase: { phase: 'sandbox_setup' },
      started_at: us(0),
      ended_at: us(0.5),
      duration_us: null,
    });
    expect(events[2]?.message).toEqual({ role: 'environment', parts_json: '{"out":"state 0"}' });
  });

  test('keeps ids, logprobs, versions and the finish reason as the engine gave them', async () => {
    const [first, second] = only(await eventsOf(a2e, wholeEpisode('e1')), 'model_call');
    expect(first?.model_call).toMatchObject({
      ...{ call_id: 'e1-g1', prompt_prefix_len: 0, finish_reason: '{"type":"stop","matched":99}' },
      ...{ weight_spans: [{ start: 0, version: '8' }], server_e2e_us: 120_000 },
      sampling: { temperature: 0.7, top_p: 0.9, max_tokens: 64, extra_json: '{"stop":["<end>"]}' },
      usage: { prompt_tokens: 3, completion_tokens: 2, cached_tokens: 0, reasoning_tokens: 0 },
      tool_calls: [{ name: 'look', arguments_parsed: '{"at":"shelf"}' }],
    });
    expect(first).toMatchObject({ started_at: us(1) - 120_000, ended_at: us(1), duration_us: 120_000 });
    expect(idsOf(first?.model_call?.prompt_delta_ids)).toEqual([9, 17, 10]);
    expect(idsOf(first?.model_call?.completion_ids)).toEqual([19, 99]);
    expect(floatsOf(first?.model_call?.completion_logprobs)).toEqual([-0.5, -0.25]);
    expect(first?.model_call?.raw_text?.toString()).toBe('look');
    // The prompt is all that is held, and two tokens more.
    expect(second?.model_call).toMatchObject({
      prompt_prefix_len: 5,
      weight_spans: [
        { start: 0, version: '8' },
        { start: 1, version: '9' },
      ],
    });
    expect(idsOf(second?.model_call?.prompt_delta_ids)).toEqual([40, 41]);
    expect(floatsOf(second?.model_call?.completion_logprobs)).toEqual([-1, -0.125, 0]);
  });

  test('ends by what its environment says; the return is the verdict of the environment, and stays beside its last reward', async () => {
    const events = await eventsOf(a2e, wholeEpisode('e1'));
    expect(only(events, 'end')[0]).toMatchObject({
      end: { reasons: [{ raw: 'done', system: 'a2e', detail: null }], env_reward: 1 },
      ended_at: us(4.25),
    });
    const [verdict] = only(events, 'verdict');
    expect(verdict?.verdict).toMatchObject({ scorer: 'a2e/env', status: 'scored', rewards: { env_return: 1 } });
    expect(JSON.parse(verdict?.verdict?.report_json ?? '')).toEqual({
      final: 1,
      steps: [
        { step_num: 1, reward: 0 },
        { step_num: 1, reward: 1 },
      ],
      zero_may_be_default: true,
    });
    expect(only(events, 'phase')[1]).toMatchObject({ seq: null, phase: { phase: 'cleanup', error: null } });
  });

  test('is the same whatever order its lines have, and where its calls stand in the file', async () => {
    const lines = wholeEpisode('e1');
    const shape = (events: readonly StepEvent[]) => events.map(({ event_id: _id, source: _source, ...event }) => event);
    const straight = shape(await eventsOf(a2e, lines));
    expect(shape(await eventsOf(a2e, [...lines].reverse()))).toEqual(straight);
    const calls = lines.filter((line) => JSON.stringify(line).includes('model_call'));
    expect(shape(await eventsOf(a2e, [...lines.filter((line) => !calls.includes(line)), ...calls]))).toEqual(straight);
  });

  test('has the same ids when it is imported again, and lines that come twice are counted', async () => {
    const lines = wholeEpisode('e1');
    const ids = (events: readonly StepEvent[]) => events.map(({ event_id }) => event_id);
    const first = await eventsOf(a2e, lines);
    const twice = await eventsOf(
      a2e,
      lines.flatMap((line) => [line, line]),
    );
    expect(ids(await eventsOf(a2e, lines))).toEqual(ids(first));
    expect(ids(twice)).toEqual(ids(first));
    expect(extraOf(twice[0]).repeated_messages).toBe(lines.length);
  });

  test('drops nothing that it says', () => {
    const lines = [
      ...wholeEpisode('e1', { task_id: 't1', size: 'small' }),
      {
        type: 'env/state/push',
        id: 'p1',
        version: '1.0',
        ts: T0 + 2.5,
        episode_id: 'e1',
        step_id: 1,
        action_id: 'a',
        event_type: 'status',
        reason: 'proc_exit',
        delta: { a: 1 },
        reward: 0.25,
        reward_info: { b: 'c' },
        terminal: false,
      },
      {
        type: 'tool/call/req',
        id: 'tc',
        version: '1.0',
        ts: T0 + 2.6,
        session_id: 's',
        tool_name: 'ls',
        arguments: { p: '/' },
        correlation_id: 'e1',
        streaming: false,
        timeout: 30,
      },
      {
        type: 'tool/event',
        id: 'te',
        version: '1.0',
        ts: T0 + 2.65,
        kind: 'log',
        req_id: 'tc',
        data: { level: 'info' },
        seq: 3,
      },
      {
        type: 'tool/call/resp',
        id: 'tr',
        version: '1.0',
        ts: T0 + 2.7,
        req_id: 'tc',
        created_at: 1.5,
        data: {
          success: true,
          tool_name: 'ls',
          data: 'x',
          truncated: false,
          exit_code: 0,
          error: null,
          error_code: null,
          duration_ms: 12,
          summary: 's',
        },
      },
      { type: 'env/observe/req', id: 'o1', version: '1.0', ts: T0 + 2.8, episode_id: 'e1' },
      { type: 'env/observe/resp', id: 'o2', version: '1.0', ts: T0 + 2.9, req_id: 'o1', obs: observed('e1', 1) },
      { type: 'memory/get/req', id: 'x1', version: '1.0', ts: T0 + 2.95, episode_id: 'e1', key: 'k' },
      { type: 'memory/get/resp', id: 'x2', version: '1.0', ts: T0 + 2.96, req_id: 'x1', value: 'v' },
    ];
    const values = lines.map((line): Record<string, never> => JSON.parse(JSON.stringify(line)));
    const mapping = explainMapping(a2e, values, CONTEXT);
    if ('refused' in mapping) throw new Error(mapping.refused.message);
    expect(mapping.dropped).toEqual([]);
  });
});

describe('what the wire says', () => {
  test('under either key of the version, and by content', async () => {
    for (const version of [{ version: '1.0' }, { a2e: '1.0' }]) {
      const wire = createWire(version);
      reset(wire, 0, 'e1');
      step(wire, 1, 'e1', { action_type: 'go', payload: {} }, { done: true, reward: 0.5 });
      const lines = wire.lines.map((line) => JSON.parse(JSON.stringify(line)));
      expect(detectFormat(lines, '')?.importer.name).toBe('a2e');
      const events = await eventsOf(a2e, lines);
      expect(events[0]?.source.version).toBe('1.0');
      expect(only(events, 'tool_result')[0]?.extra_json).not.toContain('1.0"');
    }
  });

  test.each([
    [
      'no reward at all',
      { done: true, reward: undefined },
      { env_reward: null },
      { status: 'missing', rewards: { env_return: null } },
    ],
    ['null', { done: true, reward: null }, { env_reward: null }, { status: 'missing', rewards: { env_return: null } }],
    ['0', { done: true, reward: 0 }, { env_reward: 0 }, { status: 'scored', rewards: { env_return: 0 } }],
  ])('a last reward of %s is that', async (_, change, end, verdict) => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    step(wire, 1, 'e1', { action_type: 'go', payload: {} }, change);
    const events = await eventsOf(a2e, wire.lines);
    expect(only(events, 'end')[0]?.end).toMatchObject(end);
    expect(only(events, 'verdict')[0]?.verdict).toMatchObject(verdict);
  });

  test('rewards of steps add up to the return', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    step(wire, 1, 'e1', { action_type: 'a', payload: {} }, { reward: 0.25 });
    step(wire, 2, 'e1', { action_type: 'b', payload: {} }, { reward: 0.5, done: true });
    const events = await eventsOf(a2e, wire.lines);
    expect(only(events, 'end')[0]?.end?.env_reward).toBe(0.5);
    expect(only(events, 'verdict')[0]?.verdict?.rewards).toEqual({ env_return: 0.75 });
  });

  test.each([
    ['done', { done: true }, ['done']],
    ['truncated', { truncated: true }, ['truncated']],
    ['both', { done: true, truncated: true }, ['done', 'truncated']],
  ])('%s ends an episode with its own words', async (_, change, raw) => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    step(wire, 1, 'e1', {}, change);
    const [end] = only(await eventsOf(a2e, wire.lines), 'end');
    expect(end?.end?.reasons.map((reason) => reason.raw)).toEqual(raw);
  });

  test('an episode that is only closed says closed; one that is never closed has no end', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    step(wire, 1, 'e1', {});
    expect(only(await eventsOf(a2e, wire.lines), 'end')).toEqual([]);
    wire.send('env/close/req', 2, { episode_id: 'e1' });
    const [end] = only(await eventsOf(a2e, wire.lines), 'end');
    expect(end?.end?.reasons).toMatchObject([{ raw: 'closed', system: 'a2e' }]);
  });

  test('a terminal push ends an episode, and tells why in its own words', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    wire.send('env/state/push', 1, {
      episode_id: 'e1',
      step_id: 0,
      event_type: 'status',
      reason: 'oom_warning',
      terminal: true,
    });
    const [end] = only(await eventsOf(a2e, wire.lines), 'end');
    expect(end?.end?.reasons).toMatchObject([{ raw: 'terminal', detail: 'oom_warning' }]);
    expect(end?.end?.env_reward).toBeNull();
  });

  test('an error that nothing follows ends an episode; one that a step follows is a result', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    const req_id = wire.send('env/step/req', 1, { episode_id: 'e1', action: { action_type: 'go', payload: {} } });
    wire.send('error', 1.5, { req_id, code: 'sandbox_crash', message: 'gone', retryable: true });
    const broken = await eventsOf(a2e, wire.lines);
    expect(only(broken, 'tool_result')[0]).toMatchObject({
      tool_result: { status: 'sandbox_error', error: { type: 'sandbox_crash', message: 'gone' } },
    });
    expect(only(broken, 'end')[0]?.end?.reasons).toMatchObject([{ raw: 'sandbox_crash', detail: 'gone (retryable)' }]);
    expect(only(broken, 'verdict')[0]?.verdict).toMatchObject({ status: 'not_run', rewards: {} });
    step(wire, 2, 'e1', { action_type: 'go', payload: {} }, { done: true, reward: 1 });
    const [end] = only(await eventsOf(a2e, wire.lines), 'end');
    expect(end?.end?.reasons).toMatchObject([{ raw: 'done' }]);
  });

  test('a reset that fails is a rollout that never began', async () => {
    const wire = createWire();
    const req_id = wire.send('env/reset/req', 0, { env_name: 'shop', options: {} });
    wire.send('error', 1, { req_id, code: 'reset_denied', message: 'full', retryable: true, detail: { slots: 0 } });
    const events = await eventsOf(a2e, wire.lines);
    expect(kinds(events)).toEqual(['0 start', '1 phase', '2 end']);
    expect(events[2]).toMatchObject({
      rollout_id: 'reset-m1',
      end: { reasons: [{ raw: 'reset_denied', detail: 'full (retryable)' }] },
    });
    expect(extraOf(events[2])).toMatchObject({ error: { detail: { slots: 0 } } });
  });

  test.each([
    [{ success: true }, 'ok', null],
    [{ success: false, error_code: 'timeout', error: 'slow' }, 'timeout', { type: 'timeout', message: 'slow' }],
    [{ success: false, error_code: 'tool_denied' }, 'not_executed', { type: 'tool_denied', message: null }],
    [{ success: false, error_code: 'sandbox_crash' }, 'sandbox_error', { type: 'sandbox_crash', message: null }],
    [{ success: false }, 'tool_error', null],
  ])('a tool that answers %j is %s', async (data, status, error) => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    const req_id = wire.send('tool/call/req', 1, { tool_name: 'ls', arguments: { path: '/' } });
    wire.send('tool/call/resp', 2, { req_id, data: { tool_name: 'ls', duration_ms: 15, exit_code: 2, ...data } });
    const [result] = only(await eventsOf(a2e, wire.lines), 'tool_result');
    expect(result?.tool_result).toMatchObject({
      ...{ name: 'ls', executed_arguments: '{"path":"/"}', status, error, exit_code: 2, exec_us: 15_000 },
    });
  });
});

describe('lines that lie otherwise than they should', () => {
  test('an answer without its request and a request without its answer are steps all the same', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    wire.send('env/step/req', 1, { episode_id: 'e1', action: { action_type: 'a', payload: {} } });
    wire.send('env/step/resp', 2, { req_id: 'lost', obs: observed('e1', 2, { done: true, reward: 1 }) });
    const [asked, answered] = only(await eventsOf(a2e, wire.lines), 'tool_result');
    expect(asked?.tool_result).toMatchObject({ status: 'unknown', output: null });
    expect(extraOf(asked).unanswered).toBe(true);
    expect(answered?.tool_result).toMatchObject({ call_id: 'lost', status: 'ok', executed_arguments: null });
    expect(extraOf(answered).unasked).toBe(true);
  });

  test('an episode of which the file has no reset says so', async () => {
    const wire = createWire();
    step(wire, 1, 'e1', {}, { done: true, reward: 1 });
    const [start] = await eventsOf(a2e, wire.lines);
    expect(start).toMatchObject({ rollout_id: 'e1', env_name: 'a2e' });
    expect(extraOf(start).without_reset).toBe(true);
  });

  test('another episode under the same id is another rollout', async () => {
    const wire = createWire();
    for (const at of [0, 10]) {
      reset(wire, at, 'e1');
      step(wire, at + 1, 'e1', {}, { done: true, reward: at });
    }
    const ends = only(await eventsOf(a2e, wire.lines), 'end');
    expect(ends.map(({ rollout_id, end }) => [rollout_id, end?.env_reward])).toEqual([
      ['e1', 0],
      ['e1.1', 10],
    ]);
  });

  test('a batch of steps is a step of each of its episodes', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    reset(wire, 0, 'e2');
    const req_id = wire.send('env/batch_step/req', 1, { episode_ids: ['e1', 'e2'], actions: [{ a: 1 }, { a: 2 }] });
    const results = ['e1', 'e2'].map((id, i) => ({ obs: observed(id, 1, { done: true, reward: i }) }));
    wire.send('env/batch_step/resp', 2, { req_id, results });
    const events = await eventsOf(a2e, wire.lines);
    expect(
      only(events, 'tool_result').map((event) => [event.rollout_id, event.tool_result?.executed_arguments]),
    ).toEqual([
      ['e1', '{"a":1}'],
      ['e2', '{"a":2}'],
    ]);
    expect(only(events, 'end').map(({ end }) => end?.env_reward)).toEqual([0, 1]);
  });

  test('a plan is asked for under the type of its answer', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    wire.send('env/plan/resp', 1, { episode_id: 'e1', state: { a: 1 } });
    wire.send('env/plan/resp', 2, { suggested_actions: [{ b: 2 }] });
    const messages = only(await eventsOf(a2e, wire.lines), 'message').filter(({ message }) => message?.role === 'a2e');
    expect(messages).toHaveLength(1);
    expect(JSON.parse(messages[0]?.message?.parts_json ?? '')).toMatchObject([
      { state: { a: 1 } },
      { suggested_actions: [{ b: 2 }] },
    ]);
  });

  test('a line that nobody can place is refused by name, and the rest is taken', async () => {
    const wire = createWire();
    reset(wire, 0, 'e1');
    reset(wire, 0, 'e2');
    wire.send('tool/call/req', 1, { tool_name: 'ls', arguments: {} });
    const taken = await imported(a2e, jsonl(wire.lines));
    const refused = taken.flatMap((one) => ('refused' in one ? [one.refused.message] : []));
    expect(refused).toEqual(['episode_id: tool/call/req names no episode, and several are open']);
    expect(
      taken.flatMap((one) => ('events' in one ? one.events : [])).filter(({ kind }) => kind === 'start'),
    ).toHaveLength(2);
  });

  test('calls of an episode of which the file has no message are refused by name', async () => {
    const call = generated('e9', 1, { id: 'g', prompt: [1], ids: [2], logprobs: [-1], text: 'x' });
    const [, refused] = await imported(a2e, jsonl([call]));
    expect(refused).toMatchObject({ refused: { field: 'episode_id', expected: 'messages of its episode' } });
  });

  test('beyond what may be held the longest untouched is given as it is, and its later lines are refused by name', async () => {
    const lines = ['e1', 'e2', 'e3'].flatMap((id) => wholeEpisode(id).slice(0, 5));
    const late = { type: 'env/close/req', id: 'late', version: '1.0', ts: T0 + 9, episode_id: 'e1' };
    const taken = await imported(createA2e(12_000), jsonl([...lines, late]));
    const starts = taken.flatMap((one) => ('events' in one ? only(one.events, 'start') : []));
    expect(starts.map(({ rollout_id }) => rollout_id)).toEqual(['e1', 'e2', 'e3']);
    const refused = taken.flatMap((one) => ('refused' in one ? [one.refused.message] : []));
    expect(refused.join()).toContain('episode e1 was given before its file had ended');
  });

  test('the token of a handshake is not kept', async () => {
    const wire = createWire();
    wire.send('handshake/req', 0, { agent_id: 'a', auth_token: 'secret-of-the-host' });
    wire.send('handshake/resp', 0, { session_id: 's', ok: true });
    reset(wire, 1, 'e1');
    const [start] = await eventsOf(a2e, wire.lines);
    expect(start?.extra_json).not.toContain('secret');
    expect(extraOf(start)).toMatchObject({ handshake: { request: { agent_id: 'a' }, response: { session_id: 's' } } });
  });
});
