import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { miniSweAgent } from '../../../../src/ingest/importers/mini-swe-agent.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, importedDocument, only, refusalOf } from './imported.ts';

const AT = 1_706_000_000;
const US = AT * 1e6;

const reply = (message: object, finish_reason: string, more: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm-1',
  choices: [{ index: 0, finish_reason, message }],
  usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
  ...more,
});

/** Commands in blocks of text. */
const TEXT = 'Look.\n```mswea_bash_command\nls\n```';
const said = {
  role: 'assistant',
  content: TEXT,
  extra: {
    actions: [{ command: 'ls' }],
    cost: 0.01,
    timestamp: AT + 0.5,
    response: reply({ role: 'assistant', content: TEXT }, 'stop'),
  },
};
const shown = (content: string, extra: object): object => ({
  role: 'user',
  content,
  extra: { timestamp: AT + 1, ...extra },
});

function run(messages: readonly object[], info: object = {}): object {
  return {
    info: {
      model_stats: { instance_cost: 0.5, api_calls: 2 },
      config: {
        agent: { step_limit: 0, cost_limit: 3, wall_time_limit_seconds: 60 },
        model: { model_name: 'm', model_kwargs: { temperature: 0.5 } },
      },
      mini_version: '2.0.0',
      exit_status: 'Submitted',
      submission: 'diff --git',
      ...info,
    },
    messages: [{ role: 'system', content: 's' }, { role: 'user', content: 'fix it' }, ...messages],
    trajectory_format: 'mini-swe-agent-1.1',
    instance_id: 'repo-1',
  };
}

const EXIT = { role: 'exit', content: 'diff --git', extra: { exit_status: 'Submitted', submission: 'diff --git' } };
const document = run([
  said,
  shown('<returncode>0</returncode>\n<output>\na.py\n</output>', {
    raw_output: 'a.py',
    returncode: 0,
    exception_info: '',
  }),
  EXIT,
]);

const kindsOf = (events: readonly StepEvent[]) => events.map(({ kind }) => kind);

describe('commands in blocks of text', () => {
  test('the text is as the model wrote it, the reply says who, how much and how the engine stopped', async () => {
    const events = await eventsOf(miniSweAgent, [document]);
    expect(kindsOf(events)).toEqual([
      'start',
      'message',
      'message',
      'model_call',
      'tool_result',
      'message',
      'end',
      'verdict',
    ]);
    expect(events[0]).toMatchObject({
      task_id: 'repo-1',
      rollout_id: expect.stringMatching(/^repo-1\.[0-9a-f]{12}$/),
      source: { version: 'mini-swe-agent-1.1' },
      start: { sampling: { temperature: 0.5 }, limits: { max_turns: null, max_wall_us: 60_000_000 } },
    });
    const [call] = only(events, 'model_call');
    expect(call).toMatchObject({ started_at: null, ended_at: US + 500_000 });
    expect(call?.model_call).toMatchObject({
      call_id: 'chatcmpl-1',
      model: 'm-1',
      finish_reason: 'stop',
      usage: { prompt_tokens: 10, completion_tokens: 3 },
      tool_calls: [{ call_id: 'action-0.0', name: null, arguments_parsed: '{"command":"ls"}' }],
    });
    expect(call?.model_call?.raw_text?.toString()).toBe(TEXT);
    expect(JSON.parse(call?.extra_json ?? '')).toEqual({
      extra: { cost: 0.01, response: { object: 'chat.completion', choices: [{ index: 0 }] } },
    });
    const [result] = only(events, 'tool_result');
    expect(result?.tool_result).toMatchObject({ call_id: 'action-0.0', turn: 0, status: 'ok', exit_code: 0 });
    expect(JSON.parse(result?.extra_json ?? '')).toEqual({
      extra: { raw_output: 'a.py', exception_info: '' },
      role: 'user',
    });
    const [end, verdict] = events.slice(-2);
    expect(end?.end?.reasons.map(({ raw, system }) => [raw, system])).toEqual([['Submitted', 'mini-swe-agent']]);
    expect(end?.end?.final_response?.toString()).toBe('diff --git');
    expect(verdict?.verdict?.status).toBe('not_run');
  });

  test('an answer that could not be read was sampled, too: it comes before the complaint about it', async () => {
    const complaint = shown('exactly ONE action', {
      interrupt_type: 'FormatError',
      n_actions: 0,
      model_response: 'no block',
    });
    const events = await eventsOf(miniSweAgent, [run([complaint, said])]);
    expect(only(events, 'model_call').map(({ model_call: call }) => call?.raw_text?.toString())).toEqual([
      'no block',
      TEXT,
    ]);
    expect(kindsOf(events).slice(3, 6)).toEqual(['model_call', 'message', 'model_call']);
  });

  test('version 1 notes times on the message, and what came of a command as a user’s words', async () => {
    const old = {
      ...run([
        { role: 'assistant', content: TEXT, timestamp: AT },
        { role: 'user', content: 'a.py', timestamp: AT + 1 },
      ]),
      trajectory_format: 'mini-swe-agent-1',
    };
    const events = await eventsOf(miniSweAgent, [old]);
    expect(kindsOf(events).slice(3, 5)).toEqual(['model_call', 'message']);
    expect(events[4]).toMatchObject({ ended_at: US + 1_000_000, message: { role: 'user' } });
  });
});

describe('tool calls', () => {
  const tool_calls = [
    { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command": "sleep 99"}' } },
    { id: 'c2', type: 'function', function: { name: 'bash', arguments: '{"command": "ls"}' } },
  ];
  const message = { role: 'assistant', content: 'I wait.', tool_calls };
  const call = {
    ...message,
    extra: { actions: [{ command: 'sleep 99', tool_call_id: 'c1' }], response: reply(message, 'tool_calls') },
  };
  const result = (tool_call_id: string, extra: object) => ({ role: 'tool', tool_call_id, content: 'x', extra });

  test.each([
    ['a time-out', { returncode: -1, exception_info: 'too long', exception_type: 'TimeoutExpired' }, 'timeout'],
    ['a call that was not executed', { returncode: -1, exception_info: 'action was not executed' }, 'not_executed'],
    ['a command that failed', { returncode: 2, exception_info: '' }, 'tool_error'],
    ['no code at all', { returncode: null }, 'unknown'],
  ])('%s', async (_, extra, status) => {
    const events = await eventsOf(miniSweAgent, [run([call, result('c1', extra)])]);
    expect(only(events, 'tool_result')[0]?.tool_result).toMatchObject({ call_id: 'c1', turn: 0, name: 'bash', status });
  });

  test('the server has taken the calls out of the text: it is not what the model wrote', async () => {
    const [event] = only(await eventsOf(miniSweAgent, [run([call])]), 'model_call');
    expect(event?.model_call?.raw_text).toBeNull();
    expect(event?.model_call?.finish_reason).toBe('tool_calls');
    expect(event?.model_call?.tool_calls.map(({ call_id, arguments_raw: raw }) => [call_id, raw?.toString()])).toEqual([
      ['c1', '{"command": "sleep 99"}'],
      ['c2', '{"command": "ls"}'],
    ]);
    expect(JSON.parse(event?.extra_json ?? '').content).toBe('I wait.');
  });

  test('a reply of the responses API is a message as it came', async () => {
    const response = {
      object: 'response',
      id: 'resp-1',
      model: 'm-2',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'function_call', call_id: 'c9', id: 'fc-1', name: 'bash', arguments: '{}' }],
      extra: { timestamp: AT },
    };
    const output = { type: 'function_call_output', call_id: 'c9', output: 'done', extra: { returncode: 0 } };
    const events = await eventsOf(miniSweAgent, [run([response, output])]);
    expect(only(events, 'model_call')[0]?.model_call).toMatchObject({
      call_id: 'resp-1',
      finish_reason: '{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}',
      tool_calls: [{ call_id: 'c9', name: 'bash' }],
    });
    expect(only(events, 'tool_result')[0]?.tool_result).toMatchObject({ call_id: 'c9', turn: 0, exit_code: 0 });
  });
});

describe('why it ended', () => {
  const stats = (instance_cost: number, api_calls: number) => ({ model_stats: { instance_cost, api_calls } });
  const limits = (step_limit: number, cost_limit: number) => ({ config: { agent: { step_limit, cost_limit } } });
  const endOf = async (info: object) => {
    const [event] = only(await eventsOf(miniSweAgent, [run([], { submission: '', ...info })]), 'end');
    return event?.end;
  };

  test.each([
    ['calls alone', { ...limits(5, 3), ...stats(1, 5) }, { kind: 'turns', limit: 5, used: 5 }],
    ['cost alone', { ...limits(0, 3), ...stats(3.5, 5) }, { kind: 'cost', limit: 3, used: 3.5 }],
    ['both: it stays open which', { ...limits(5, 3), ...stats(3, 5) }, null],
    ['no figures', { config: {} }, null],
  ])('LimitsExceeded is calls or cost; the file’s own figures prove %s', async (_, info, limit) => {
    const end = await endOf({ exit_status: 'LimitsExceeded', ...info });
    expect(end?.reasons[0]?.raw).toBe('LimitsExceeded');
    expect(end?.limit).toEqual(limit);
    expect(end?.final_response).toBeNull();
  });

  test('an exception by its class, with its text', async () => {
    const end = await endOf({ exit_status: 'RateLimitError', exception_str: 'slow down', traceback: 'Traceback' });
    expect(end?.exception).toEqual({ type: 'RateLimitError', message: 'slow down' });
  });

  test('a bare array of messages does not say', async () => {
    const messages = [
      { role: 'system', content: 's' },
      { role: 'assistant', content: TEXT },
    ];
    const taken = await importedDocument(miniSweAgent, { 'a.traj.json': messages });
    const events = 'events' in taken ? taken.events : [];
    expect(kindsOf(events)).toEqual(['start', 'message', 'model_call', 'verdict', 'end']);
    expect(events[0]).toMatchObject({
      source: { version: 'messages' },
      rollout_id: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(only(events, 'end')[0]?.end?.reasons[0]?.raw).toBe('');
    expect(detectFormat([{ '[]': messages }], '')?.importer.name).toBe('mini-swe-agent');
  });
});

test.each([
  ['messages', { ...run([]), messages: 3 }, 'expected an array, got 3'],
  ['messages[0]', { ...run([]), messages: ['x'] }, 'expected an object, got "x"'],
  ['info.exit_status', run([], { exit_status: 3 }), 'expected a string, got 3'],
])('%s is refused', async (field, value, message) => {
  expect(await refusalOf(miniSweAgent, value)).toMatchObject({ field, message: `${field}: ${message}` });
});

test('no value of a document is dropped, and read again it gives the same events', async () => {
  const complaint = shown('once more', {
    interrupt_type: 'FormatError',
    response: reply({ content: 'bad', role: 'assistant' }, 'stop'),
  });
  const more = {
    ...run([said, complaint, shown('x', { raw_output: 'x', returncode: 1 }), EXIT]),
    later: { added: ['field'] },
  };
  const mapping = explainMapping(miniSweAgent, [JSON.parse(JSON.stringify(more))], CONTEXT);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
  expect(await eventsOf(miniSweAgent, [more])).toEqual(await eventsOf(miniSweAgent, [more]));
});
