import { createRandom } from '../../examples/generate/random.ts';

const CALLS = 5;
const COMPLETION = 512;
/** New prompt tokens of each call: a tool's answer. */
const PROMPT = 60;

export interface Call {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
  readonly logprobs: readonly number[];
}

/** A line of strands-env with five calls of 512 tokens. */
export function strandsLine(n: number): object {
  const calls = callsOf(`strands-${n}`);
  return {
    task: { id: `p${n >> 2}_${n % 4}`, message: 'What is 6 × 7?', ground_truth: '42', conversation_history: [] },
    result: {
      messages: [{ role: 'user', content: [{ text: 'What is 6 × 7?' }] }, ...calls.flatMap(strandsMessages)],
      rollout: {
        token_ids: calls.flatMap(({ prompt, completion }) => [...prompt, ...completion]),
        loss_mask: calls.flatMap(({ prompt, completion }) => [...prompt.map(() => 0), ...completion.map(() => 1)]),
        logprobs: calls.flatMap(({ prompt, logprobs }) => [...prompt.map(() => null), ...logprobs]),
        segment_info: calls.flatMap(() => [
          [false, PROMPT],
          [true, COMPLETION],
        ]),
      },
      metrics: { message_count: 2 * CALLS, model_calls: CALLS, reward_latency_s: 0.0123 },
      reward_result: { reward: 1, info: { reason: 'match' } },
      termination_reason: 'task_complete',
    },
    aborted: false,
    prompt_id: `p${n >> 2}`,
  };
}

function strandsMessages(_: Call, turn: number): object[] {
  const text = `${'I multiply the two numbers, and look at the result again. '.repeat(30)}${turn}`;
  const toolUse = { toolUseId: 'call_0000', name: 'calculator', input: { expression: `6 * 7 + ${turn}` } };
  const toolResult = { toolUseId: 'call_0000', status: 'success', content: [{ text: `${42 + turn}` }] };
  if (turn === CALLS - 1) return [{ role: 'assistant', content: [{ text }] }];
  return [
    { role: 'assistant', content: [{ text }, { toolUse }] },
    { role: 'user', content: [{ toolResult }] },
  ];
}

/** A line of NeMo Gym of the same five calls: each carries its whole prompt. */
export function nemoLine(n: number): object {
  const held: number[] = [];
  const output = callsOf(`nemo-${n}`).flatMap((call, turn) => {
    held.push(...call.prompt);
    const items = nemoItems(call, turn, [...held], `call_${n}_${turn}`);
    held.push(...call.completion);
    return items;
  });
  const input = [{ type: 'message', role: 'user', content: 'What is 6 × 7?' }];
  return {
    responses_create_params: { input, temperature: 1, top_p: 1, tools: [] },
    response: { id: `resp_${n}`, output, incomplete_details: null, status: null, model: 'Qwen/Qwen3-4B' },
    reward: 1,
    _ng_task_index: n >> 2,
    _ng_rollout_index: n % 4,
    agent_ref: { type: 'responses_api_agents', name: 'calculator' },
  };
}

function nemoItems(call: Call, turn: number, prompt: readonly number[], id: string): object[] {
  const text = `${'I multiply the two numbers, and look at the result again. '.repeat(30)}${turn}`;
  const tokens = {
    prompt_token_ids: prompt,
    generation_token_ids: call.completion,
    generation_log_probs: call.logprobs,
  };
  const message = { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
  if (turn === CALLS - 1) return [{ ...message, ...tokens }];
  const asked = { id, call_id: id, type: 'function_call', name: 'calculator', arguments: '{"expression":"6 * 7"}' };
  return [message, { ...asked, ...tokens }, { call_id: id, type: 'function_call_output', output: '42' }];
}

export function callsOf(seed: string): Call[] {
  const random = createRandom(seed);
  const ids = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 151_936));
  return Array.from({ length: CALLS }, () => ({
    prompt: ids(PROMPT),
    completion: ids(COMPLETION),
    // Engines print float32 as doubles: 17 digits.
    logprobs: Array.from({ length: COMPLETION }, () => Math.fround(-random() * 4)),
  }));
}
