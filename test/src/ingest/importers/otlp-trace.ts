/** Spans of OTLP as exporters write them as JSON; times in ms after T0. */
export const T0_MS = 1_760_000_000_000;

export const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

export function spanId(n: number): string {
  return n.toString(16).padStart(16, '0');
}

type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

function anyValue(value: Value): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (value === null) return {};
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: attributes(value) } };
}

export function attributes(values: { readonly [key: string]: Value }): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

export interface Told {
  readonly id: number;
  readonly parent?: number;
  readonly at: readonly [number, number];
  readonly name?: string;
  readonly with: { readonly [key: string]: Value };
  readonly trace?: string;
  readonly change?: object;
}

export function otlpSpan({ id, parent, at, name, with: values, trace, change }: Told): object {
  return {
    traceId: trace ?? TRACE,
    spanId: spanId(id),
    ...(parent === undefined ? {} : { parentSpanId: spanId(parent) }),
    name: name ?? String(values['gen_ai.operation.name']),
    kind: 1,
    startTimeUnixNano: `${T0_MS + at[0]}000000`,
    endTimeUnixNano: `${T0_MS + at[1]}000000`,
    attributes: attributes(values),
    status: { code: 0 },
    ...change,
  };
}

export function request(spans: readonly object[], service = 'shop-agent'): object {
  const resource = { attributes: attributes({ 'service.name': service }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'lib', version: '1' }, spans }] }] };
}

const ask = [{ role: 'user', parts: [{ type: 'text', content: 'buy tea' }] }];
const answered = [
  ...ask,
  { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'buy', arguments: { item: 'tea' } }] },
  { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'bought' }] },
];

/** An agent that calls a model, a tool and the model again; children are listed before their parents. */
export function agentSpans(change: { root?: object; score?: Value } = {}): object[] {
  const evaluation = {
    name: 'gen_ai.evaluation.result',
    timeUnixNano: `${T0_MS + 900}000000`,
    attributes: attributes({
      'gen_ai.evaluation.name': 'judge',
      'gen_ai.evaluation.score.value': change.score ?? 0.5,
      'gen_ai.evaluation.score.label': 'fair',
      'gen_ai.response.id': 'r2',
    }),
  };
  return [
    otlpSpan({
      ...{ id: 4, parent: 1, at: [400, 600] },
      with: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.response.id': 'r2',
        'gen_ai.response.model': 'm-1',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.input.messages': JSON.stringify(answered),
        'gen_ai.output.messages': JSON.stringify([
          { role: 'assistant', parts: [{ type: 'text', content: 'done' }], finish_reason: 'stop' },
        ]),
      },
    }),
    otlpSpan({
      ...{ id: 3, parent: 1, at: [250, 400] },
      with: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'buy',
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.call.arguments': '{"item":"tea"}',
        'gen_ai.tool.call.result': 'bought',
      },
    }),
    otlpSpan({
      ...{ id: 2, parent: 1, at: [50, 250] },
      with: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'm',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.request.max_tokens': 100,
        'gen_ai.request.stop_sequences': ['x'],
        'gen_ai.response.id': 'r1',
        'gen_ai.response.model': 'm-1',
        'gen_ai.response.finish_reasons': ['tool_call'],
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.input.messages': JSON.stringify(ask),
        'gen_ai.output.messages': JSON.stringify([answered[1]]),
      },
    }),
    otlpSpan({
      ...{ id: 1, at: [0, 1000] },
      with: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'buyer',
        retries: 2,
        nested: { a: ['b', 1.5] },
      },
      change: { events: [evaluation], ...change.root },
    }),
  ];
}
