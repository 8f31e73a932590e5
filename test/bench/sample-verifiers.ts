import { callsOf } from './sample-lines.ts';

const TEXT = 'I multiply the two numbers, and look at the result again. '.repeat(30);

/** A row of results of verifiers: five calls with a tool between them, and no tokens. */
export function verifiersRow(n: number): object {
  const calls = callsOf(`verifiers-${n}`);
  const metrics = { correct: 1, turns: calls.length };
  return {
    example_id: n >> 2,
    prompt: [{ role: 'user', content: 'What is 6 × 7?' }],
    completion: calls.flatMap((_, turn) => {
      const id = `call_${n}_${turn}`;
      if (turn === calls.length - 1) return [{ role: 'assistant', content: `${TEXT}${turn}` }];
      const call = { id, name: 'calculator', arguments: '{"expression":"6 * 7"}' };
      return [
        { role: 'assistant', content: `${TEXT}${turn}`, tool_calls: [JSON.stringify(call)] },
        { role: 'tool', content: '42', tool_call_id: id },
      ];
    }),
    answer: '42',
    reward: 1,
    error: null,
    timing: {
      start_time: 1_760_000_000 + n,
      scoring: { start: 1_760_000_004 + n, end: 1_760_000_005 + n, duration: 1 },
    },
    is_completed: true,
    is_truncated: false,
    stop_condition: 'no_tools_called',
    metrics,
    ...metrics,
  };
}

/** An episode of verifiers 1 with one trace of the same five calls: a node for each message, with the tokens it adds. */
export function verifiersEpisode(n: number): object {
  const calls = callsOf(`verifiers-v1-${n}`);
  const nodes = calls.flatMap(({ prompt, completion, logprobs }, turn) => {
    const id = `call_${turn}`;
    const given =
      turn === 0
        ? { role: 'user', content: 'What is 6 × 7?' }
        : { role: 'tool', tool_call_id: `call_${turn - 1}`, content: '42' };
    const asked = [{ id, type: 'function', name: 'calculator', arguments: '{"expression":"6 * 7"}' }];
    const tool_calls = turn === calls.length - 1 ? {} : { tool_calls: asked };
    const said = { role: 'assistant', content: `${TEXT}${turn}`, ...tool_calls };
    const [scaffold] = prompt.slice(-1);
    return [
      {
        ...(turn === 0 ? {} : { parent: 2 * turn - 1 }),
        ...{ message: given, sampled: false, timestamp: 1_760_000_000 + n },
        ...{ token_ids: prompt.slice(0, -1), mask: prompt.slice(1).map(() => false), logprobs: [] },
      },
      {
        ...{ parent: 2 * turn, message: said, sampled: true, timestamp: 1_760_000_000 + n },
        token_ids: [scaffold, ...completion],
        mask: [false, ...completion.map(() => true)],
        logprobs: logprobs.map((value) => Math.round(value * 1e4) / 1e4),
      },
    ];
  });
  const task = { type: 'MathTask', data: { idx: n >> 2, prompt: 'What is 6 × 7?' }, key: `task-${n >> 2}` };
  return {
    id: `episode-${n}`,
    task,
    group: { id: `g${n >> 2}` },
    ok: true,
    errors: [],
    traces: [
      {
        ...{ version: 1, id: `trace-${n}`, task, agent: { config: { max_turns: 8 }, name: 'agent', trainable: true } },
        nodes,
        calls: calls.map((_, turn) => ({ node: 2 * turn + 1, model: 'Qwen/Qwen3-4B', finish_reason: 'stop' })),
        ...{
          rewards: { correct: { score: 1, weight: 1 } },
          metrics: {},
          ok: true,
          stop_condition: 'agent_completed',
          errors: [],
        },
      },
    ],
  };
}
