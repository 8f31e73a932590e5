/** A node of a trace: what it adds to its branch. Tokens from `sampledFrom` on were sampled. */
export function node(
  parent: number | null,
  message: object,
  tokens: readonly number[],
  sampledFrom: number | null = null,
  more: object = {},
): object {
  const from = sampledFrom ?? tokens.length;
  return {
    ...(parent === null ? {} : { parent }),
    message,
    sampled: sampledFrom !== null,
    timestamp: 1_760_000_010.5,
    token_ids: tokens,
    mask: tokens.map((_, i) => i >= from),
    is_content: [],
    logprobs: tokens.slice(from).map((id) => -id / 64),
    ...more,
  };
}

export const user = (content: string) => ({ role: 'user', content });
export const assistant = (content: string, ...tool_calls: object[]) => ({
  role: 'assistant',
  content,
  ...(tool_calls.length > 0 ? { tool_calls } : {}),
});

/** Two calls with a tool between them: tokens 1 to 14. */
export function lineOfNodes(): object[] {
  return [
    node(null, { role: 'system', content: 'Be brief.' }, [1, 2]),
    node(0, user('6 × 7?'), [3, 4]),
    node(1, assistant('', { id: 'c1', type: 'function', name: 'calc', arguments: '{"e": "6*7"}' }), [5, 10, 11], 1),
    node(2, { role: 'tool', tool_call_id: 'c1', content: '42' }, [6, 7]),
    node(3, assistant('It is 42.'), [5, 12, 13, 14], 1),
  ];
}

export function trace(more: object = {}): object {
  return {
    version: 1,
    id: 'trace-a',
    verifiers: { version: '0.4.0' },
    task: { type: 'MathTask', data: { idx: 3, prompt: '6 × 7?', answer: '42' }, key: 'task-3', hash: 'ab12' },
    agent: {
      config: {
        model: 'Qwen/Qwen3-4B',
        max_turns: 8,
        max_total_tokens: 4096,
        sampling: { temperature: 0.7, top_k: 20 },
      },
      name: 'agent',
      trainable: true,
    },
    tools: [{ type: 'function', name: 'calc', description: '', parameters: {} }],
    nodes: lineOfNodes(),
    calls: [
      {
        node: 2,
        model: 'Qwen/Qwen3-4B',
        sampling: { temperature: 0.5, max_tokens: 64, reasoning_effort: 'low' },
        endpoint: '/chat/completions',
        finish_reason: 'tool_calls',
        usage: { prompt_tokens: 2, completion_tokens: 2, cached_input_tokens: 3, reasoning_tokens: 1, cost: 0.25 },
        time: { start: 1_760_000_001.25, end: 1_760_000_002.5 },
      },
      { node: 4, model: 'Qwen/Qwen3-4B', finish_reason: 'stop', time: { start: 1_760_000_003, end: 1_760_000_004 } },
    ],
    request_rewrites: [],
    response_rewrites: [],
    rewards: { correct: { score: 1, weight: 0.5 }, brief: { score: 0.25, weight: 2 } },
    metrics: { turns: 2 },
    info: { note: 'kept' },
    is_completed: true,
    ok: true,
    stop_condition: 'agent_completed',
    is_timeout: false,
    errors: [],
    timing: {
      start: 1_760_000_000,
      boot: { start: 1_760_000_000, end: 1_760_000_000.5 },
      setup: { start: 1_760_000_000.5, end: 1_760_000_001 },
      agent: {
        start: 1_760_000_001,
        end: 1_760_000_005,
        model: { duration: 2.25 },
        harness: { duration: 1.75 },
      },
      finalize: { start: 1_760_000_005, end: 1_760_000_005.25 },
      scoring: { start: 1_760_000_005.25, end: 1_760_000_006 },
    },
    ...more,
  };
}

export function episode(more: object = {}): object {
  return {
    id: 'episode-1',
    env: { id: 'math', name: 'math-train' },
    task: { type: 'MathTask', data: { idx: 3, prompt: '6 × 7?' }, key: 'task-3' },
    group: { id: 'group-9' },
    run: { type: 'train', id: 'run-x', work: { type: 'train', step: 12, policy: { start: 11, end: 11 } } },
    ok: true,
    is_timeout: false,
    errors: [],
    traces: [trace()],
    num_input_tokens: 9,
    num_output_tokens: 5,
    num_total_tokens: 14,
    ...more,
  };
}
