import { callsOf } from './sample-lines.ts';

/** A trajectory of ATIF of the same five calls: each carries its whole prompt. It has a session alone, which is told apart by its content. */
export function atifLine(n: number): object {
  const held: number[] = [];
  const steps = callsOf(`atif-${n}`).map(({ prompt, completion, logprobs }, turn) => {
    held.push(...prompt);
    const metrics = {
      ...{ prompt_tokens: held.length, completion_tokens: completion.length, cost_usd: 0.01 },
      ...{ prompt_token_ids: [...held], completion_token_ids: completion, logprobs },
    };
    held.push(...completion);
    const id = `call_${turn}_1`;
    return {
      ...{ step_id: turn + 2, timestamp: `2026-03-01T10:00:0${turn}Z`, source: 'agent', model_name: 'Qwen/Qwen3-4B' },
      message: `Analysis: ${'I multiply the two numbers, and look at the result again. '.repeat(30)}${turn}\nPlan: go on`,
      tool_calls: [{ tool_call_id: id, function_name: 'bash_command', arguments: { keystrokes: 'expr 6 * 7\n' } }],
      observation: { results: [{ source_call_id: id, content: `${42 + turn}` }] },
      metrics,
    };
  });
  return {
    ...{ schema_version: 'ATIF-v1.7', session_id: 'session' },
    agent: { name: 'terminus-2', version: '2.0.0', model_name: 'Qwen/Qwen3-4B', extra: { parser: 'json' } },
    steps: [{ step_id: 1, source: 'user', message: 'What is 6 × 7?' }, ...steps],
    final_metrics: { total_prompt_tokens: 6_020, total_completion_tokens: 2_560 },
  };
}
