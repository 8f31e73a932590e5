import { callsOf } from './sample-lines.ts';

const T0_S = 1_760_000_000;
const TEXT = 'I multiply the two numbers, and look at the result again. '.repeat(30);

/** Line `n` of a wire of A2E: episodes of five recorded calls of 512 tokens, a step after each, one behind the other. */
export function a2eLine(n: number): object {
  const lines = a2eEpisode(Math.floor(n / LINES_OF_EPISODE));
  return lines[n % LINES_OF_EPISODE] ?? {};
}

const CALLS = 5;
const LINES_OF_EPISODE = 2 + 3 * CALLS;

function a2eEpisode(number: number): object[] {
  const episode_id = `episode-${number}`;
  const ts = T0_S + number * 60;
  const message = (type: string, at: number, fields: object): object => {
    return { type, id: `${number}-${type}-${at}`, version: '1.0', ts: ts + at, ...fields };
  };
  const obs = (step_num: number, isDone: boolean): object => {
    const state = { result: `${42 + step_num}`, history: TEXT };
    return {
      episode_id,
      step_num,
      state,
      done: isDone,
      truncated: false,
      reward: isDone ? 1 : 0,
      created_at: ts,
      metadata: {},
    };
  };
  const held: number[] = [];
  const steps = callsOf(`a2e-${number}`).flatMap((call, turn) => {
    held.push(...call.prompt);
    const request = { input_ids: [...held], sampling_params: { temperature: 1, max_new_tokens: 512 } };
    const at = 2 + turn * 3;
    held.push(...call.completion);
    const output_token_logprobs = call.completion.map((id, i) => [call.logprobs[i] ?? 0, id, null]);
    const meta_info = {
      ...{
        id: `${number}-${turn}`,
        finish_reason: { type: 'stop', matched: 1 },
        weight_version: '8',
        e2e_latency: 1.5,
      },
      ...{ prompt_tokens: request.input_ids.length, completion_tokens: call.completion.length, output_token_logprobs },
    };
    return [
      {
        type: 'model_call',
        episode_id,
        ts: ts + at,
        request,
        response: { text: TEXT, output_ids: call.completion, meta_info },
      },
      message('env/step/req', at + 1, {
        episode_id,
        action: { action_type: 'calculate', payload: { expression: `6 * ${turn}` } },
      }),
      message('env/step/resp', at + 2, {
        req_id: `${number}-env/step/req-${at + 1}`,
        obs: obs(turn + 1, turn === CALLS - 1),
      }),
    ];
  });
  return [
    message('env/reset/req', 0, { env_name: 'calculator', seed: number, options: { task_id: `t${number >> 2}` } }),
    message('env/reset/resp', 1, { req_id: `${number}-env/reset/req-0`, obs: obs(0, false) }),
    ...steps,
  ];
}

/** An export request of one trace: an agent, five calls of a model and five of a tool. */
export function otlpLine(n: number): object {
  const traceId = (n + 1).toString(16).padStart(32, '0');
  const span = (id: number, at: number, values: Readonly<Record<string, string | number>>): object => ({
    traceId,
    spanId: id.toString(16).padStart(16, '0'),
    ...(id === 1 ? {} : { parentSpanId: '0000000000000001' }),
    name: String(values['gen_ai.operation.name']),
    kind: 1,
    startTimeUnixNano: `${T0_S + at}000000000`,
    endTimeUnixNano: `${T0_S + at + 1}000000000`,
    attributes: Object.entries(values).map(([key, value]) => ({
      key,
      value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
    })),
    status: {},
  });
  const messages: object[] = [{ role: 'user', parts: [{ type: 'text', content: 'What is 6 × 7?' }] }];
  const spans = Array.from({ length: CALLS }, (_, turn) => {
    const input = JSON.stringify(messages);
    const asked = { type: 'tool_call', id: `c${turn}`, name: 'calculate', arguments: { expression: `6 * ${turn}` } };
    const output = [{ role: 'assistant', parts: [{ type: 'text', content: TEXT }, asked], finish_reason: 'tool_call' }];
    messages.push(...output, { role: 'tool', parts: [{ type: 'tool_call_response', id: `c${turn}`, response: '42' }] });
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.response.id': `r${turn}`, 'gen_ai.response.model': 'm' };
    const usage = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 512 };
    const told = { 'gen_ai.input.messages': input, 'gen_ai.output.messages': JSON.stringify(output) };
    const tool = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'calculate',
      'gen_ai.tool.call.id': `c${turn}`,
    };
    const result = { 'gen_ai.tool.call.arguments': `{"expression":"6 * ${turn}"}`, 'gen_ai.tool.call.result': '42' };
    return [
      span(2 + 2 * turn, 2 * turn, { ...chat, ...usage, ...told }),
      span(3 + 2 * turn, 2 * turn + 1, { ...tool, ...result }),
    ];
  });
  const agent = span(1, 0, { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'calculator' });
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'calculator' } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'bench' }, spans: [...spans.flat(), agent] }] }] };
}
