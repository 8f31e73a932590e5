import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/ingest/exact-number.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { atif } from '../../../../src/ingest/importers/atif.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import {
  agentStep,
  base,
  continuation,
  malformed,
  reply,
  trajectory,
  trial,
  userStep,
  type Value,
  withTokens,
} from './atif-samples.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, imported, only, refusalOf } from './imported.ts';

const parsed = (value: Value): JsonObject => JSON.parse(JSON.stringify(value));
const extraOf = (event: { readonly extra_json: string | null } | undefined) => JSON.parse(event?.extra_json ?? 'null');

describe('what a file is', () => {
  it('is told by its content, of any minor version', () => {
    expect(detectFormat([parsed(trajectory([]))], '')?.importer.name).toBe('atif');
    expect(detectFormat([parsed({ ...trajectory([]), schema_version: 'ATIF-v1.12' })], '')?.why).toBe(
      'schema_version ATIF-v1.12',
    );
    expect(detectFormat([parsed(trial)], '')?.importer.name).toBe('atif');
    // Of a whole job, not of a trial.
    expect(detectFormat([{ id: 'x', n_total_trials: 2, stats: {} }], '')).toBeNull();
  });
});

describe('a model call', () => {
  it('has the ids of its step: of each prompt only what is new, holes in logprobs told', async () => {
    const [first, helper, second] = only(await eventsOf(atif, [withTokens]), 'model_call');
    expect(first?.model_call?.prompt_prefix_len).toBe(0);
    expect(idsOf(first?.model_call?.prompt_delta_ids)).toEqual([1, 2, 3]);
    expect(idsOf(first?.model_call?.completion_ids)).toEqual([4, 5]);
    expect(floatsOf(first?.model_call?.completion_logprobs)).toEqual([-0.5, -0.25]);
    expect(helper?.segment_id).toBe('sub-1');
    expect(idsOf(helper?.model_call?.prompt_delta_ids)).toEqual([9, 10]);
    expect(second?.segment_id).toBe('main');
    expect(second?.model_call).toMatchObject({
      prompt_prefix_len: 5,
      finish_reason: 'stop',
      completion_logprobs: null,
    });
    expect(idsOf(second?.model_call?.prompt_delta_ids)).toEqual([6]);
    expect(extraOf(second)).toMatchObject({ missing_logprobs: [1], metrics: { extra: { ttft: 0.1 } } });
  });

  it('keeps ids without a prompt beside it: they have no place', async () => {
    const steps = [agentStep(1, 'x', null, { metrics: { completion_token_ids: [1, 2] } })];
    const [call] = only(await eventsOf(atif, [trajectory(steps)]), 'model_call');
    expect(call?.model_call?.completion_ids).toBeNull();
    expect(extraOf(call).metrics).toEqual({ completion_token_ids: [1, 2] });
  });

  it('has its arguments parsed alone, and as they were written where a writer passes on a text', async () => {
    const tool_calls = [
      { tool_call_id: 'a', function_name: 'f', arguments: { n: 1 } },
      { tool_call_id: 'b', function_name: 'f', arguments: '{"n": 1,}', extra: { attempt: 2 } },
    ];
    const [call] = only(await eventsOf(atif, [trajectory([agentStep(1, 'x', null, { tool_calls })])]), 'model_call');
    expect(call?.model_call?.tool_calls).toMatchObject([
      { call_id: 'a', arguments_raw: null, arguments_parsed: '{"n":1}', parse_status: 'unknown' },
      { call_id: 'b', arguments_raw: Buffer.from('{"n": 1,}'), arguments_parsed: null },
    ]);
    expect(extraOf(call).tool_calls[1]).toEqual(tool_calls[1]);
  });

  it('is none where the context was copied, and none where the source counts no call', async () => {
    const steps = [
      agentStep(1, 'old', null, { is_copied_context: true, metrics: { prompt_tokens: 9 } }),
      agentStep(2, 'by rule', null, { llm_call_count: 0 }),
      agentStep(3, 'new', null, { llm_call_count: 2 }),
    ];
    const events = await eventsOf(atif, [trajectory(steps)]);
    expect(only(events, 'model_call').map(extraOf)).toMatchObject([{ content: 'new', llm_call_count: 2 }]);
    expect(only(events, 'message').map((event) => [event.message?.role, extraOf(event)])).toMatchObject([
      ['assistant', { is_copied_context: true, metrics: { prompt_tokens: 9 } }],
      ['assistant', { llm_call_count: 0 }],
    ]);
  });
});

describe('the text of a call', () => {
  const rawTexts = async (document: unknown) =>
    only(await eventsOf(atif, [document]), 'model_call').map(
      ({ model_call }) => model_call?.raw_text?.toString() ?? null,
    );

  it('is claimed to be what the model wrote where Terminus-2 could not read it, and nowhere else in parts', async () => {
    expect(await rawTexts(malformed)).toEqual([
      'First:\n{"commands": [{"keystrokes": "ls\\n", "duration": 0.1}]}\nDone.',
      null,
    ]);
  });

  it('is claimed where the document keeps replies whole', async () => {
    expect(await rawTexts(trajectory([agentStep(1, reply(['ls\n']), '$')]))).toEqual([reply(['ls\n'])]);
    expect(await rawTexts(trajectory([agentStep(1, 'Analysis: {a}\nPlan: b', '$')]))).toEqual([null]);
  });

  it('is not claimed of other agents, and not where ids say more than it: thinking was taken out', async () => {
    const step = agentStep(1, reply(['ls\n']), '$', {
      reasoning_content: 'hm',
      metrics: { prompt_token_ids: [1], completion_token_ids: [2] },
    });
    expect(await rawTexts(trajectory([step]))).toEqual([null]);
    expect(await rawTexts(trajectory([agentStep(1, '{}', '$')], { agent: { name: 'x', version: '1' } }))).toEqual([
      null,
    ]);
  });

  it('has thinking beside it, whoever took it out', async () => {
    const [call] = only(await eventsOf(atif, [malformed]), 'model_call');
    expect(extraOf(call)).toMatchObject({ reasoning_content: 'a file is wanted', metrics: { cost_usd: 0.25 } });
    expect(call?.model_call?.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, cached_tokens: null });
  });
});

describe('what was shown to the model', () => {
  it('answers the call that it names; what names none is a message, what nobody asked for stands alone', async () => {
    const events = await eventsOf(atif, [withTokens]);
    expect(only(events, 'tool_result').map(({ tool_result }) => tool_result)).toMatchObject([
      { call_id: 'c1', turn: 0, name: 'delegate', status: 'unknown', output: Buffer.from('it said 4') },
      { call_id: 'gone', turn: null, name: null, output: Buffer.from('[{"type":"text","text":"nobody asked"}]') },
    ]);
    const [, shown] = only(await eventsOf(atif, [malformed]), 'message');
    expect(shown?.message).toMatchObject({ role: 'user', parts_json: expect.stringContaining('parsing errors') });
    expect(extraOf(shown)).toEqual({ is_observation: true });
  });

  it('says of calls that the loop mended that it did', async () => {
    const tool_calls = [{ tool_call_id: 'c', function_name: 'bash_command', arguments: { keystrokes: 'ls\n' } }];
    const warned = 'Previous response had warnings:\nWARNINGS: - AUTO-CORRECTED: Extracted JSON - please fix\n\n$';
    const [call] = only(
      await eventsOf(atif, [trajectory([agentStep(1, 'Plan: p', warned, { tool_calls })])]),
      'model_call',
    );
    expect(call?.model_call?.tool_calls).toMatchObject([{ parse_status: 'repaired', parser: 'terminus-2/json' }]);
  });
});

describe('a sub-agent', () => {
  it('has a segment of its own, before the answer of the call that it worked for', async () => {
    const events = await eventsOf(atif, [withTokens]);
    expect(events.map(({ kind, segment_id }) => `${kind} ${segment_id}`)).toEqual([
      'start main',
      'message main',
      'model_call main',
      'message sub-1',
      'model_call sub-1',
      'tool_result main',
      'tool_result main',
      'model_call main',
      'end main',
    ]);
    const first = events.find(({ segment_id }) => segment_id === 'sub-1');
    expect(extraOf(first)).toMatchObject({ parent_segment_id: 'main', document: { agent: { name: 'helper' } } });
  });

  it('is written once, however often it is referred to, and in a circle too', async () => {
    const ref = { subagent_trajectory_ref: [{ trajectory_id: 'main-1' }, { trajectory_id: 'sub-1' }] };
    const steps = [agentStep(1, 'x', null, { observation: { results: [ref, ref] } })];
    const sub = { ...trajectory(steps), trajectory_id: 'sub-1', session_id: undefined };
    const events = await eventsOf(atif, [
      { ...trajectory(steps), trajectory_id: 'main-1', subagent_trajectories: [sub] },
    ]);
    expect(only(events, 'model_call').map(({ segment_id }) => segment_id)).toEqual(['main', 'sub-1']);
  });
});

describe('who it is', () => {
  const idsOfRollouts = async (documents: readonly unknown[]) => [
    ...new Set((await eventsOf(atif, documents)).map(({ rollout_id }) => rollout_id)),
  ];

  it('is the trajectory id, else the session with a part of the content, which sessions share', async () => {
    expect(await idsOfRollouts([withTokens])).toEqual(['main-1']);
    const [one, other] = await idsOfRollouts([trajectory([userStep(1)]), trajectory([userStep(1, 'another')])]);
    expect(one).toMatch(/^session-1\.[0-9a-f]{12}$/);
    expect(other).toMatch(/^session-1\.[0-9a-f]{12}$/);
    expect(one).not.toBe(other);
    const nameless = { ...trajectory([userStep(1)]), session_id: null };
    expect(await idsOfRollouts([nameless, nameless])).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}\.0$/),
      expect.stringMatching(/^[0-9a-f]{64}\.1$/),
    ]);
  });

  it('keeps all digits of an id beyond 2^53', async () => {
    const line = JSON.stringify({ ...trajectory([]), trajectory_id: 0 }).replace(
      '"trajectory_id":0',
      '"trajectory_id":9007199254740993',
    );
    expect(await idsOfRollouts([line])).toEqual(['9007199254740993']);
  });

  it('is the same when it is read again, event by event', async () => {
    const ids = async () => (await eventsOf(atif, [malformed, withTokens])).map(({ event_id }) => event_id);
    expect(await ids()).toEqual(await ids());
    expect(new Set(await ids()).size).toBe((await ids()).length);
  });
});

describe('what is odd', () => {
  it('is refused by the name of its field', async () => {
    expect(await refusalOf(atif, { ...trajectory([]), steps: {} })).toMatchObject({
      field: 'steps',
      expected: 'an array',
    });
    const step = (over: object) => refusalOf(atif, trajectory([{ source: 'agent', message: 'x', ...over }]));
    expect((await step({ source: 1 }))?.field).toBe('steps[0].source');
    expect((await step({ tool_calls: 'no' }))?.field).toBe('steps[0].tool_calls');
    expect((await step({ tool_calls: [7] }))?.field).toBe('steps[0].tool_calls[0]');
    expect((await step({ observation: [] }))?.field).toBe('steps[0].observation');
    expect((await step({ metrics: { prompt_token_ids: [1], completion_token_ids: [-1] } }))?.message).toBe(
      'steps[0].metrics.completion_token_ids[0]: expected a token id from 0 to 4294967295, got -1',
    );
    const short = { prompt_token_ids: [1], completion_token_ids: [2, 3], logprobs: [-1] };
    expect((await step({ metrics: short }))?.message).toBe(
      'steps[0].metrics.logprobs: 1 value for 2 completion_token_ids',
    );
    const nan = JSON.stringify(trajectory([{ source: 'agent', metrics: { ...short, logprobs: [0, 9.5] } }])).replace(
      '9.5',
      'NaN',
    );
    expect((await refusalOf(atif, nan))?.field).toBe('steps[0].metrics.logprobs[1]');
  });

  it('is kept where no field needs it: parts, unknown fields, sources, a step_id that is a text', async () => {
    const steps = [
      userStep(1, [{ type: 'image', source: { path: 'a.png' } }], { novelty: { n: 1 } }),
      { step_id: 'two', source: 'critic', message: null },
      agentStep(3, 'lone \ud800', null, { usage: 'odd', timestamp: 'yesterday' }),
    ];
    const line = { ...trajectory(steps), schema_version: 'ATIF-v1.9', new_field: [1] };
    const events = await eventsOf(atif, [line]);
    expect(events[0]?.source).toMatchObject({ format: 'atif', version: 'v1.9' });
    expect(extraOf(events[0]).trajectory).toMatchObject({ new_field: [1], session_id: 'session-1' });
    expect(only(events, 'message').map(({ message }) => message)).toEqual([
      { role: 'user', parts_json: '[{"type":"image","source":{"path":"a.png"}}]' },
      { role: 'critic', parts_json: 'null' },
    ]);
    expect(extraOf(events[1])).toMatchObject({ novelty: { n: 1 } });
    const [call] = only(events, 'model_call');
    expect(call?.extra_json).toContain('lone \\ud800');
    expect(extraOf(call)).toMatchObject({ usage: 'odd', times: { timestamp: 'yesterday', note: 'unclear' } });
  });

  it('a time without a zone is taken as UTC, and told', async () => {
    const calls = only(await eventsOf(atif, [withTokens]), 'model_call');
    expect(calls.map(({ started_at, ended_at }) => [started_at, ended_at])).toEqual([
      [Date.UTC(2026, 2, 1, 10, 0, 1, 500) * 1000, null],
      [null, null],
      [Date.UTC(2026, 2, 1, 10, 0, 3) * 1000, null],
    ]);
    expect(extraOf(calls[2]).times).toEqual({ timestamp: '2026-03-01T10:00:03', note: 'naive' });
  });

  it('lines of another kind among them are refused, the others taken', async () => {
    const all = await imported(atif, `${JSON.stringify(withTokens)}\n{"a": 1}\n${JSON.stringify(malformed)}\n`);
    expect(all.map((taken) => ('refused' in taken ? taken.refused.message : taken.events.length))).toEqual([
      9,
      'expected a document of ATIF or a trial of Harbor, got neither',
      7,
    ]);
  });
});

describe('nothing is lost', () => {
  const named = { 'a.json': base, 'a.cont-1.json': continuation, 'result.json': trial };
  it.each([
    ['a trajectory', withTokens],
    ['one whose replies are whole and in parts', malformed],
    ['a trial', trial],
    ['a trial with its documents', named],
  ])('of %s: every value says something in an event', (_, record) => {
    const mapping = explainMapping(atif, [parsed(record)], CONTEXT);
    expect('refused' in mapping ? mapping.refused : mapping.dropped).toEqual([]);
  });
});
