import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { sweAgent } from '../../../../src/ingest/importers/swe-agent.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, importedDocument, only, refusalOf, sha256 } from './imported.ts';

const step = (response: string, action: string, observation: string, more: object = {}): object => ({
  action,
  observation,
  response,
  thought: response.split('\n')[0],
  execution_time: 0.25,
  state: { open_file: 'n/a', working_dir: '/repo' },
  query: [{ role: 'system', content: 'an agent' }],
  extra_info: {},
  ...more,
});

/** Two commands in blocks of text: one that was malformed and asked for again is in the trajectory alone. */
function textRun(change: object = {}): object {
  return {
    environment: 'main',
    trajectory: [
      step('I look.\n```\nls\n```', 'ls', 'a.py'),
      step('No block.', '', '', { execution_time: 0 }),
      step('I submit.\n```\nsubmit\n```', 'submit', 'diff --git'),
    ],
    history: [
      { role: 'system', content: 'an agent', agent: 'main', message_type: 'system_prompt' },
      { role: 'assistant', content: 'ls', is_demo: true, message_type: 'demonstration' },
      { role: 'user', content: 'fix it', agent: 'main' },
      { role: 'assistant', content: 'I look.\n```\nls\n```', thought: 'I look.', action: 'ls', agent: 'main' },
      { role: 'user', content: 'a.py\n(in /repo)', agent: 'main', message_type: 'observation' },
      { role: 'assistant', content: 'I submit.\n```\nsubmit\n```', action: 'submit', agent: 'main' },
      { role: 'user', content: 'diff --git', agent: 'main', message_type: 'observation' },
    ],
    info: { exit_status: 'submitted', submission: 'diff --git', model_stats: { instance_cost: 0.5, api_calls: 3 } },
    replay_config: {
      agent: { model: { name: 'm', temperature: 0, top_p: 0.95, per_instance_cost_limit: 3 }, tools: TEXT_TOOLS },
      problem_statement: { id: 'repo-1', text: 'fix it', type: 'text' },
    },
    ...change,
  };
}

const TEXT_TOOLS = { parse_function: { type: 'thought_action' } };

const kindsOf = (events: readonly StepEvent[]) => events.map(({ kind }) => kind);

describe('a run whose commands stand in its text', () => {
  test('each answer is a call with the text as the model wrote it, each command its result', async () => {
    const events = await eventsOf(sweAgent, [textRun()]);
    expect(kindsOf(events)).toEqual([
      'start',
      'message',
      'message',
      'message',
      'model_call',
      'tool_result',
      'model_call',
      'model_call',
      'tool_result',
      'end',
      'verdict',
    ]);
    const hash = sha256(JSON.stringify(textRun())).slice(0, 12);
    expect(events[0]).toMatchObject({
      task_id: 'repo-1',
      rollout_id: `repo-1.${hash}`,
      group_id: null,
      start: { sampling: { temperature: 0, top_p: 0.95 } },
    });
    expect(events[0]?.start?.prompt?.toString()).toBe('fix it');
    const [first, again] = only(events, 'model_call');
    expect(first?.model_call?.raw_text?.toString()).toBe('I look.\n```\nls\n```');
    expect(first?.model_call?.tool_calls).toMatchObject([
      { call_id: 'action-0', name: null, arguments_parsed: '"ls"', parser: 'thought_action', parse_status: 'unknown' },
    ]);
    expect(again?.model_call).toMatchObject({ call_id: 'call-1', tool_calls: [] });
    expect(JSON.parse(again?.extra_json ?? '')).toMatchObject({ action: '', observation: '', execution_time: 0 });
    const [result] = only(events, 'tool_result');
    expect(result?.tool_result).toMatchObject({ call_id: 'action-0', turn: 0, exec_us: 250_000, status: 'unknown' });
    // As the model saw it; what the command wrote is beside it.
    expect(result?.tool_result?.output?.toString()).toBe('a.py\n(in /repo)');
    expect(JSON.parse(result?.extra_json ?? '')).toMatchObject({ action: 'ls', observation: 'a.py' });
    const [end, verdict] = events.slice(-2);
    expect(end?.end?.reasons.map(({ raw, system }) => [raw, system])).toEqual([['submitted', 'swe-agent']]);
    expect(end?.end?.final_response?.toString()).toBe('diff --git');
    expect(verdict?.verdict).toMatchObject({ status: 'not_run', rewards: {} });
  });

  test('the whole prompt of each step stays in the source', async () => {
    const [call] = only(await eventsOf(sweAgent, [textRun()]), 'model_call');
    expect(JSON.parse(call?.extra_json ?? '').query).toEqual({
      uri: 'results.jsonl:1#trajectory[0].query',
      sha256: sha256('[{"role":"system","content":"an agent"}]'),
      length: 40,
    });
  });

  test('without a history the trajectory says what there is', async () => {
    const events = await eventsOf(sweAgent, [textRun({ history: [] })]);
    expect(kindsOf(events).filter((kind) => kind === 'message')).toEqual([]);
    expect(only(events, 'tool_result')[0]?.tool_result?.output?.toString()).toBe('a.py');
  });

  test('older files: no time, no configuration, the state as JSON in a string', async () => {
    const { execution_time: _, query: _query, extra_info: _info, ...old } = { ...(step('a', 'ls', '') as OldStep) };
    const document = textRun({ trajectory: [{ ...old, state: '{"a": 1}' }], history: [], replay_config: undefined });
    const events = await eventsOf(sweAgent, [document]);
    expect(kindsOf(events)).toEqual(['start', 'model_call', 'tool_result', 'end', 'verdict']);
    expect(only(events, 'tool_result')[0]?.tool_result?.exec_us).toBeNull();
    expect(events[0]?.rollout_id).toMatch(/^[0-9a-f]{64}$/);
    expect(only(events, 'model_call')[0]?.extra_json).toBe('{"state":"{\\"a\\": 1}"}');
  });
});

interface OldStep {
  readonly execution_time?: unknown;
  readonly query?: unknown;
  readonly extra_info?: unknown;
}

describe('a run with function calling', () => {
  const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"' } }];
  const document = textRun({
    trajectory: [step('I look.', 'ls', 'a.py')],
    history: [
      { role: 'system', content: 's' },
      { role: 'assistant', content: 'I look.', action: 'ls', tool_calls, thinking_blocks: null },
      { role: 'tool', content: [{ type: 'text', text: 'a.py' }], tool_call_ids: ['c1'] },
    ],
    replay_config: JSON.stringify({ agent: { tools: { parse_function: { type: 'function_calling' } } } }),
  });

  test('arguments are as the model wrote them; the text is what the server left of the answer', async () => {
    const events = await eventsOf(sweAgent, [document]);
    const [call] = only(events, 'model_call');
    expect(call?.model_call?.raw_text).toBeNull();
    expect(JSON.parse(call?.extra_json ?? '').response).toBe('I look.');
    expect(call?.model_call?.tool_calls).toMatchObject([{ call_id: 'c1', name: 'bash', arguments_parsed: null }]);
    expect(call?.model_call?.tool_calls[0]?.arguments_raw?.toString()).toBe('{"command":"ls"');
    expect(only(events, 'tool_result')[0]?.tool_result).toMatchObject({ call_id: 'c1', turn: 0, name: 'bash' });
  });

  test('the configuration stays the JSON in a string that it is', async () => {
    const [start] = await eventsOf(sweAgent, [document]);
    expect(typeof JSON.parse(start?.extra_json ?? '').replay_config).toBe('string');
  });
});

describe('why it ended', () => {
  test.each([
    ['submitted', ['submitted']],
    ['submitted (exit_cost)', ['submitted', 'exit_cost']],
    ['submitted (submitted (exit_context))', ['submitted', 'submitted', 'exit_context']],
    ['submitted (None)', ['submitted', 'None']],
    ['exit_forfeit', ['exit_forfeit']],
    [null, ['']],
    [3, ['3']],
  ])('%s', async (exit_status, expected) => {
    const [end] = only(await eventsOf(sweAgent, [textRun({ info: { exit_status } })]), 'end');
    expect(end?.end?.reasons.map(({ raw }) => raw)).toEqual(expected);
  });

  test('the last step of a loop that gave up is the loop’s own: no model wrote it', async () => {
    const message = 'Exit due to cost limit';
    const own = step(message, '', 'diff --git', { thought: message, execution_time: 0 });
    const info = { exit_status: 'submitted (exit_cost)', submission: 'diff', model_stats: { instance_cost: 3.5 } };
    const events = await eventsOf(sweAgent, [textRun({ trajectory: [step('a', 'ls', 'b'), own], history: [], info })]);
    expect(only(events, 'model_call')).toHaveLength(1);
    expect(only(events, 'message').map(({ message: said }) => [said?.role, said?.parts_json])).toEqual([
      ['exit', `"${message}"`],
    ]);
    expect(only(events, 'end')[0]?.end?.limit).toEqual({ kind: 'cost', limit: 3, used: 3.5 });
  });
});

describe('an agent that tries several times', () => {
  const attempt = (exit_status: string) => textRun({ info: { exit_status, submission: 'd' } });
  const document = {
    attempts: [attempt('exit_format'), attempt('submitted')],
    ...attempt('submitted'),
    info: { exit_status: 'submitted', best_attempt_idx: 1, rloop_model_stats: { api_calls: 9 } },
  };

  test('each try is a rollout; the one that was chosen is not there twice', async () => {
    const starts = only(await eventsOf(sweAgent, [document]), 'start');
    expect(starts.map(({ rollout_id }) => rollout_id.replace(/\.[0-9a-f]{12}/, ''))).toEqual(['repo-1/0', 'repo-1/1']);
    const ends = only(await eventsOf(sweAgent, [document]), 'end');
    expect(ends.map(({ end }) => end?.reasons[0]?.raw)).toEqual(['exit_format', 'submitted']);
    expect(JSON.parse(ends[1]?.extra_json ?? '').chosen).toMatchObject({ best_attempt_idx: 1 });
  });

  test('one that is none of them is a rollout of its own', async () => {
    const starts = only(await eventsOf(sweAgent, [{ ...document, environment: 'other' }]), 'start');
    expect(starts.map(({ rollout_id }) => rollout_id.slice(-7))).toEqual([
      expect.stringMatching(/\/0$/),
      expect.stringMatching(/\/1$/),
      '/chosen',
    ]);
  });
});

test('a document on many lines is known by what it holds, and read again gives the same events', async () => {
  const files = { 'repo-1.traj': textRun() };
  const [one, two] = [await importedDocument(sweAgent, files), await importedDocument(sweAgent, files)];
  expect(one).toEqual(two);
  expect('events' in one ? one.events.length : one).toBe(11);
  expect(detectFormat([JSON.parse(JSON.stringify(textRun()))], '')?.importer.name).toBe('swe-agent');
});

test.each([
  ['trajectory', { trajectory: 'none' }, 'expected an array, got "none"'],
  ['trajectory[0]', { trajectory: [3] }, 'expected an object, got 3'],
  [
    'trajectory[0].response',
    { trajectory: [{ response: 3, action: '', observation: '' }] },
    'expected a string, got 3',
  ],
  ['history[0]', { history: ['x'] }, 'expected an object, got "x"'],
  ['info.exit_status', { info: { exit_status: [] } }, 'expected a string, an integer or null, got an array of 0'],
])('%s is refused', async (field, change, message) => {
  expect(await refusalOf(sweAgent, textRun(change))).toMatchObject({ field, message: `${field}: ${message}` });
});

test('no value of a document is dropped', () => {
  const later = { added: { field: ['x', 'y'] } };
  const document = { ...textRun({ later }), trajectory: [step('a\n```ls```', 'ls', 'b', { later })] };
  const mapping = explainMapping(sweAgent, [JSON.parse(JSON.stringify(document))], CONTEXT);
  expect('dropped' in mapping ? mapping.dropped : mapping).toEqual([]);
});
