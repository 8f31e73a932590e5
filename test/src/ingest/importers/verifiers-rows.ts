/** Rows of results.jsonl as verifiers wrote them over its versions. */

const CALLS = [{ id: 'c1', type: 'function', function: { name: 'fetch', arguments: '{"url": "a"}' } }];

/** Since 0.1.14: metrics also at the top, spans in seconds, tool calls as JSON in strings. */
export function row(more: object = {}): object {
  return {
    example_id: 4,
    prompt: [{ role: 'user', content: '6 × 7?' }],
    completion: [
      { role: 'assistant', content: '', tool_calls: CALLS.map((call) => JSON.stringify(call)) },
      { role: 'tool', content: '42', tool_call_id: 'c1' },
      { role: 'assistant', content: 'It is 42.' },
    ],
    answer: '42',
    info: { source: 'book' },
    reward: 0.75,
    error: null,
    timing: {
      start_time: 1_760_000_000,
      setup: { start: 1_760_000_000, end: 1_760_000_000.5, duration: 0.5 },
      generation: { start: 1_760_000_000.5, end: 1_760_000_004, duration: 3.5 },
      scoring: { start: 1_760_000_004, end: 1_760_000_004.25, duration: 0.25 },
      model: { spans: [span(1, 2), span(3, 4)], duration: 2 },
      env: { spans: [span(2, 3)], duration: 1 },
      total: 3.75,
      overhead: 0,
    },
    is_completed: true,
    is_truncated: false,
    stop_condition: 'no_tools_called',
    metrics: { correct: 1, turns: 2 },
    correct: 1,
    turns: 2,
    token_usage: { input_tokens: 20, output_tokens: 9 },
    tool_defs: [{ name: 'fetch', description: 'gets', parameters: {} }],
    ...more,
  };
}

const span = (start: number, end: number) => ({
  start: 1_760_000_000 + start,
  end: 1_760_000_000 + end,
  duration: end - start,
});

/** Until 0.1.5: id, task, reward functions at the top; tables filled with null; no ids on answers. */
export function firstRow(more: object = {}): object {
  return {
    id: 0,
    prompt: [{ content: '6 × 7?', role: 'user', tool_calls: null }],
    completion: [
      { content: '', role: 'assistant', tool_calls: CALLS.map((call) => JSON.stringify(call)) },
      { content: '42', role: 'tool', tool_calls: null },
      { content: 'It is 42.', role: 'assistant', tool_calls: null },
    ],
    task: 'default',
    generation_ms: 4811.769,
    scoring_ms: 457.1049,
    total_ms: 5268.8739,
    info: { oai_tools: [{ type: 'function', function: { name: 'fetch', parameters: {} } }] },
    answer: '42',
    reward: 1.25,
    judge_reward: 1,
    ...more,
  };
}

/** 0.1.10: milliseconds in `timing`; a model that completes texts. */
export function middleRow(more: object = {}): object {
  return {
    example_id: 7,
    prompt: 'Once upon a time',
    completion: ' there was a',
    reward: 0.5,
    timing: { generation_ms: 100.5, scoring_ms: 2, total_ms: 102.5 },
    is_completed: true,
    stop_condition: 'max_turns_reached',
    metrics: { length: 3 },
    ...more,
  };
}

export const METADATA = {
  env_id: 'math-tools',
  env_args: { split: 'hard' },
  model: 'Qwen/Qwen3-4B',
  base_url: 'http://localhost:8000/v1',
  num_examples: 5,
  rollouts_per_example: 3,
  sampling_args: { temperature: 0.7, max_tokens: 512, extra_body: { min_p: 0.1 } },
  avg_reward: 0.5,
  version_info: { vf_version: '0.1.14', env_version: '1.0' },
};
