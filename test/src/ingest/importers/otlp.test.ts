import { describe, expect, test } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { createOtlp, otlp } from '../../../../src/ingest/importers/otlp.ts';
import { detectFormat } from '../../../../src/ingest/importers.ts';
import { CONTEXT, eventsOf, imported, importedDocument, only, refusalOf } from './imported.ts';
import { agentSpans, attributes, otlpSpan, request, spanId, T0_MS, TRACE } from './otlp-trace.ts';

const us = (ms: number): number => (T0_MS + ms) * 1000;
const jsonl = (lines: readonly unknown[]): string => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;

function extraOf(event: StepEvent | undefined): Record<string, unknown> {
  return JSON.parse(event?.extra_json ?? '{}');
}

const shape = (events: readonly StepEvent[]) =>
  events.map(({ event_id: _id, source: _source, extra_json: _extra, ...event }) => event);

describe('a trace', () => {
  test('is one rollout in the order of its starts, though children are listed before their parents', async () => {
    const events = await eventsOf(otlp, [request(agentSpans())]);
    expect(events.map(({ kind, seq }) => `${seq ?? '-'} ${kind}`)).toEqual([
      ...['0 start', '1 phase', '2 message', '3 model_call', '4 tool_result', '5 model_call', '6 end', '- verdict'],
    ]);
    expect(events[0]).toMatchObject({
      ...{ rollout_id: TRACE, task_id: TRACE, env_name: 'shop-agent', group_id: null, producer_id: 'import:otlp' },
      started_at: us(0),
    });
    expect(events[1]).toMatchObject({ phase: { phase: 'other', detail: 'invoke_agent' }, duration_us: 1_000_000 });
    expect(events[2]?.message).toEqual({ role: 'user', parts_json: '[{"type":"text","content":"buy tea"}]' });
  });

  test('has model calls with what the conventions say, and no token ids', async () => {
    const [first, second] = only(await eventsOf(otlp, [request(agentSpans())]), 'model_call');
    expect(first).toMatchObject({
      ...{ started_at: us(50), ended_at: us(250), duration_us: 200_000, segment_id: 'main' },
      model_call: {
        ...{
          call_id: 'r1',
          model: 'm-1',
          finish_reason: 'tool_call',
          completion_ids: null,
          prompt_delta_ids: null,
          error: null,
        },
        usage: { prompt_tokens: 12, completion_tokens: 5, cached_tokens: null },
        sampling: { temperature: 0.5, max_tokens: 100, extra_json: '{"stop_sequences":["x"]}' },
        tool_calls: [{ call_id: 'c1', name: 'buy', arguments_parsed: '{"item":"tea"}', arguments_raw: null }],
      },
    });
    expect(second?.model_call).toMatchObject({ call_id: 'r2', finish_reason: 'stop', usage: null, sampling: null });
    // What the first call was given already is not told again.
    expect(JSON.stringify(extraOf(second))).not.toContain('buy tea');
  });

  test('binds a tool to the call that asked for it, with its time', async () => {
    const [result] = only(await eventsOf(otlp, [request(agentSpans())]), 'tool_result');
    expect(result?.tool_result).toMatchObject({
      ...{ call_id: 'c1', turn: 0, name: 'buy', status: 'ok', executed_arguments: '{"item":"tea"}', exec_us: 150_000 },
    });
    expect(result?.tool_result?.output?.toString()).toBe('bought');
  });

  test('ends with the status of the span that holds it, which is no reason', async () => {
    const ended = only(await eventsOf(otlp, [request(agentSpans())]), 'end')[0]?.end;
    expect(ended).toMatchObject({ reasons: [{ raw: 'unset', system: 'otel' }], exception: null });
    expect(ended?.final_response?.toString()).toBe('done');
    const root = {
      status: { code: 2, message: 'no answer' },
      events: [{ name: 'exception', attributes: attributes({ 'exception.type': 'ConnectionError' }) }],
    };
    const failed = only(await eventsOf(otlp, [request(agentSpans({ root }))]), 'end')[0]?.end;
    expect(failed).toMatchObject({
      reasons: [{ raw: 'ConnectionError', detail: 'no answer' }],
      exception: { type: 'ConnectionError', message: 'no answer' },
    });
  });

  test.each([
    [0.5, { status: 'scored', rewards: { score: 0.5 } }],
    [0, { status: 'scored', rewards: { score: 0 } }],
    [null, { status: 'missing', rewards: { score: null } }],
  ])('an evaluation of %s is a verdict of that, about the call it names', async (score, expected) => {
    const spans = JSON.parse(JSON.stringify(agentSpans({ score: 0.5 })));
    const value = spans[3].events[0].attributes[1].value;
    for (const key of Object.keys(value)) delete value[key];
    if (score !== null) value.doubleValue = score;
    const [verdict] = only(await eventsOf(otlp, [request(spans)]), 'verdict');
    expect(verdict?.verdict).toMatchObject({ scorer: 'judge', bound_to: 1, ...expected });
    expect(verdict?.verdict?.report_json).toContain('"fair"');
  });

  test('drops nothing that it says', () => {
    const value = JSON.parse(JSON.stringify(request(agentSpans())));
    const mapping = explainMapping(otlp, [value], CONTEXT);
    if ('refused' in mapping) throw new Error(mapping.refused.message);
    expect(mapping.dropped).toEqual([]);
  });
});

describe('the same trace', () => {
  test('is the same with a request a span, in any order, and with spans that come twice', async () => {
    const straight = shape(await eventsOf(otlp, [request(agentSpans())]));
    const apart = agentSpans().map((span) => request([span]));
    expect(shape(await eventsOf(otlp, [...apart].reverse()))).toEqual(straight);
    const twice = await eventsOf(otlp, [...apart, ...apart]);
    expect(shape(twice)).toEqual(straight);
    expect(extraOf(twice[0]).repeated_spans).toBe(4);
  });

  test('is the same in snake_case, with ids in base64 and times as integers', async () => {
    const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
    const text = JSON.stringify(request(agentSpans()))
      .replaceAll(/"(traceId|spanId|parentSpanId)":"([0-9a-f]+)"/g, (_, key, hex) => `"${key}":"${base64(hex)}"`)
      .replaceAll(/"((?:start|end)?[tT]imeUnixNano)":"(\d+)"/g, '"$1":$2')
      .replaceAll(
        /"(resourceSpans|scopeSpans|traceId|spanId|parentSpanId|startTimeUnixNano|endTimeUnixNano|timeUnixNano|stringValue|intValue|doubleValue|arrayValue|kvlistValue)":/g,
        (_, key) => `"${key.replaceAll(/[A-Z]/g, (letter: string) => `_${letter.toLowerCase()}`)}":`,
      );
    expect(shape(await eventsOf(otlp, [text]))).toEqual(shape(await eventsOf(otlp, [request(agentSpans())])));
  });

  test('has the same ids when it is imported again', async () => {
    const ids = async () => (await eventsOf(otlp, [request(agentSpans())])).map(({ event_id }) => event_id);
    expect(await ids()).toEqual(await ids());
  });
});

describe('spans of any-agent', () => {
  const TRACE_ID = '100927429609276267646756448943279827607';
  const anySpan = (id: string, parent: string | null, from: number, values: object, name: string): string =>
    `{"name":"${name}","kind":"internal","parent":{"trace_id":${parent === null ? null : TRACE_ID},"span_id":${parent}},
      "start_time":${T0_MS + from}123456,"end_time":${T0_MS + from + 100}123456,"status":{"status_code":"unset","description":null},
      "context":{"trace_id":${TRACE_ID},"span_id":${id}},"attributes":${JSON.stringify(values)},"links":[],"events":[],
      "resource":{"attributes":{"service.name":"unknown_service"},"schema_url":""}}`;
  const document = `{
    "spans": [
      ${anySpan('9295669169508793927', '12324293800750531911', 10, { 'gen_ai.operation.name': 'call_llm', 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 9, 'gen_ai.output': '[{"tool.name": "time", "tool.args": "{\\"zone\\": \\"x\\"}"}]' }, 'call_llm m')},
      ${anySpan('13687147528289423029', '12324293800750531911', 20, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'time', 'gen_ai.tool.args': '{"zone": "x"}', 'gen_ai.output': '2025' }, 'execute_tool time')},
      ${anySpan('12324293800750531911', null, 0, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'any' }, 'invoke_agent any')}
    ],
    "final_output": {"year": 2025}
  }`;

  test('keep ids beyond 2^53, as OTel prints them, and times to the nanosecond', async () => {
    const taken = await importedDocument(otlp, { 'trace.json': document });
    // A format of many lines gives its rollouts when its file has ended.
    expect(taken).toEqual({ events: [] });
    const events = await eventsOf(otlp, [document.replaceAll('\n', ' ')]);
    const hex = BigInt(TRACE_ID).toString(16).padStart(32, '0');
    expect(events[0]).toMatchObject({ rollout_id: hex, env_name: 'otlp' });
    const [call] = only(events, 'model_call');
    expect(call?.model_call).toMatchObject({
      ...{ model: 'm', usage: { prompt_tokens: 9 } },
      tool_calls: [{ call_id: 'call-0-0', name: 'time' }],
    });
    expect(call?.model_call?.tool_calls[0]?.arguments_raw?.toString()).toBe('{"zone": "x"}');
    expect(extraOf(call)).toMatchObject({ span: { span_id: BigInt('9295669169508793927').toString(16) } });
    expect(call?.started_at).toBe(us(10) + 123);
    expect(call?.extra_json).toContain('10123456');
    expect(only(events, 'tool_result')[0]?.tool_result).toMatchObject({
      call_id: 'call-0-0',
      turn: 0,
      name: 'time',
      status: 'ok',
    });
    expect(only(events, 'end')[0]?.end?.final_response?.toString()).toBe('{"year":2025}');
  });

  test('are told by content', () => {
    expect(detectFormat([JSON.parse(document)], '')?.importer.name).toBe('otlp');
    expect(detectFormat([JSON.parse(JSON.stringify(request(agentSpans())))], '')?.importer.name).toBe('otlp');
  });
});

describe('what lies otherwise', () => {
  const chat = (
    id: number,
    from: number,
    values: object = {},
    more: { parent?: number; trace?: string } = {},
  ): object => otlpSpan({ id, at: [from, from + 10], with: { 'gen_ai.operation.name': 'chat', ...values }, ...more });

  test('traces of one conversation are one rollout, also those whose spans name it late', async () => {
    const other = TRACE.replace('4b', '5c');
    const conversation = { 'gen_ai.conversation.id': 'talk' };
    const spans = [
      chat(1, 0),
      chat(2, 20, conversation),
      chat(3, 40, conversation, { trace: other }),
      chat(4, 30, {}, { trace: other }),
    ];
    const events = await eventsOf(
      otlp,
      spans.map((span) => request([span])),
    );
    expect(new Set(events.map(({ rollout_id }) => rollout_id))).toEqual(new Set(['talk']));
    const calls = only(events, 'model_call').map(({ started_at }) => started_at);
    expect(calls).toEqual([us(0), us(20), us(30), us(40)]);
  });

  test('conversations of one trace are rollouts of their own', async () => {
    const spans = ['a', 'b'].map((id, i) => chat(i + 1, i, { 'gen_ai.conversation.id': id }));
    const events = await eventsOf(otlp, [request(spans)]);
    expect(only(events, 'start').map(({ rollout_id }) => rollout_id)).toEqual(['a', 'b']);
  });

  test('an agent within an agent has a segment below it', async () => {
    const agent = (id: number, parent: number | undefined, name: string, at: readonly [number, number]): object =>
      otlpSpan({
        id,
        ...(parent === undefined ? {} : { parent }),
        at,
        with: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name },
      });
    const spans = [
      agent(1, undefined, 'lead', [0, 900]),
      chat(2, 10, {}, { parent: 1 }),
      agent(3, 1, 'search', [20, 100]),
      chat(4, 30, {}, { parent: 3 }),
      agent(5, 1, 'search', [120, 200]),
      chat(6, 130, {}, { parent: 5 }),
      agent(7, 5, 'read', [140, 160]),
      chat(8, 150, {}, { parent: 7 }),
    ];
    const calls = only(await eventsOf(otlp, [request(spans)]), 'model_call');
    expect(calls.map(({ segment_id }) => segment_id)).toEqual([
      'main',
      'main/search.0',
      'main/search.1',
      'main/search.1/read.0',
    ]);
  });

  test('spans whose parent is not there are kept, and have no end that is theirs', async () => {
    const events = await eventsOf(otlp, [request([chat(2, 10, {}, { parent: 99 })])]);
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'model_call']);
    expect(extraOf(events[1])).toMatchObject({ orphan: true, span: { parent_id: spanId(99) } });
  });

  test("spans that are each other's parents are kept", async () => {
    const spans = [chat(1, 0, {}, { parent: 2 }), chat(2, 1, {}, { parent: 1 })];
    expect(only(await eventsOf(otlp, [request(spans)]), 'model_call')).toHaveLength(2);
  });

  test('a log of an evaluation is a verdict about the span that it names', async () => {
    const record = {
      ...{
        traceId: TRACE,
        spanId: spanId(2),
        timeUnixNano: `${T0_MS + 5000}000000`,
        eventName: 'gen_ai.evaluation.result',
      },
      attributes: attributes({ 'gen_ai.evaluation.name': 'late', 'gen_ai.evaluation.score.value': 1 }),
    };
    const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] };
    const verdicts = only(await eventsOf(otlp, [logs, request(agentSpans())]), 'verdict');
    expect(verdicts.map(({ verdict }) => [verdict?.scorer, verdict?.rewards, verdict?.bound_to])).toEqual([
      ['judge', { score: 0.5 }, 1],
      ['late', { score: 1 }, 0],
    ]);
  });

  test('a span without a trace is refused by name, with its line', async () => {
    const broken = { ...agentSpans()[0], traceId: '' };
    expect(await refusalOf(otlp, request([broken]))).toMatchObject({
      field: 'resourceSpans[0].scopeSpans[0].spans[0].traceId',
    });
  });

  test('beyond what may be held the trace untouched longest is given, and its later spans are refused by name', async () => {
    const traces = ['1', '2', '3'].map((digit) => TRACE.replace('4', digit));
    const lines = traces.map((trace, i) => request([chat(1, i, {}, { trace })]));
    const late = request([chat(2, 9, {}, { trace: traces[0] ?? '' })]);
    const taken = await imported(createOtlp(4_000), jsonl([...lines, late]));
    expect(
      taken.flatMap((one) => ('events' in one ? only(one.events, 'start') : [])).map(({ rollout_id }) => rollout_id),
    ).toEqual(traces);
    const refused = taken.flatMap((one) => ('refused' in one ? [one.refused.message] : []));
    expect(refused.join()).toContain(`${traces[0]} was given before its file had ended`);
  });
});
