import { callsOf } from './sample-lines.ts';

/** A sample of slime with five calls of 512 tokens. */
export function slimeLine(n: number): object {
  const { ids, mask, logprobs } = flat(`slime-${n}`);
  const promptTokens = mask.indexOf(1);
  return {
    group_index: n >> 2,
    index: n,
    prompt: 'What is 6 × 7?',
    tokens: ids,
    response: 'I multiply the two numbers, and look at the result again. '.repeat(100),
    response_length: ids.length - promptTokens,
    label: '42',
    reward: 1,
    loss_mask: mask.slice(promptTokens),
    weight_versions: ['8', '8', '8', '8', '8'],
    rollout_log_probs: logprobs.slice(promptTokens),
    status: 'completed',
    metadata: {},
  };
}

/** A row of SkyRL of the same calls. */
export function skyrlLine(n: number): object {
  const { ids, mask, logprobs } = flat(`skyrl-${n}`);
  const promptTokens = mask.indexOf(1);
  return {
    prompt_token_ids: ids.slice(0, promptTokens),
    response_ids: ids.slice(promptTokens),
    rewards: 1,
    loss_masks: mask.slice(promptTokens),
    stop_reasons: 'stop',
    rollout_logprobs: logprobs.slice(promptTokens),
    trajectory_ids: { instance_id: `task-${n >> 2}`, repetition_id: n % 4 },
  };
}

/** A row of NeMo-RL of the same calls, filled up by a tenth. */
export function nemoRlLine(n: number): object {
  const { ids, mask, logprobs } = flat(`nemo-rl-${n}`);
  const padding = Array<number>(Math.floor(ids.length / 10)).fill(0);
  return {
    rewards: [1],
    input_lengths: [ids.length],
    token_ids: [[...ids, ...padding]],
    token_loss_mask: [[...mask, ...padding]],
    sample_loss_mask: [1],
    advantages: [[...ids, ...padding].map(() => 0.5)],
    generation_logprobs: [[...logprobs, ...padding]],
    prev_logprobs: [[...logprobs.map((logprob) => Math.fround(logprob * 1.01)), ...padding]],
    idx: n,
  };
}

/** A trajectory of SWE-agent of five steps. */
export function sweLine(n: number): object {
  const text = 'I look at the file, and change what is wrong in it.\n```\nopen a.py\n```\n';
  const steps = Array.from({ length: 5 }, (_, i) => ({
    action: 'open a.py',
    observation: `${i}: a line of the file\n`.repeat(100),
    response: `${text}${i}`,
    thought: text,
    execution_time: 0.25,
    state: { open_file: 'a.py', working_dir: '/repo' },
  }));
  const history = steps.flatMap(({ response, observation }) => [
    { role: 'assistant', content: response, agent: 'main', message_type: 'action' },
    { role: 'user', content: `${observation}(in /repo)`, agent: 'main', message_type: 'observation' },
  ]);
  return {
    trajectory: steps,
    history: [{ role: 'system', content: 'an agent '.repeat(300) }, ...history],
    info: { exit_status: 'submitted', submission: 'diff', model_stats: { api_calls: 5 } },
    replay_config: { problem_statement: { id: `repo-${n}`, text: 'fix it' } },
  };
}

/** A trajectory of mini-swe-agent of five steps. */
export function miniSweLine(n: number): object {
  const content = 'I look at the file, and change what is wrong in it.\n```mswea_bash_command\ncat a.py\n```\n';
  const messages = Array.from({ length: 5 }, (_, i) => {
    const message = { role: 'assistant', content: `${content}${i}` };
    const usage = { prompt_tokens: 1000, completion_tokens: 30, total_tokens: 1030 };
    const response = { id: `c-${n}-${i}`, model: 'm', choices: [{ index: 0, finish_reason: 'stop', message }], usage };
    const output = `${i}: a line of the file\n`.repeat(100);
    return [
      { ...message, extra: { actions: [{ command: 'cat a.py' }], response, cost: 0.01, timestamp: 1_706_000_000 + i } },
      { role: 'user', content: output, extra: { returncode: 0, raw_output: output, timestamp: 1_706_000_001 + i } },
    ];
  });
  return {
    info: { exit_status: 'Submitted', submission: 'diff', model_stats: { api_calls: 5 }, config: {} },
    messages: [{ role: 'system', content: 'an agent '.repeat(300) }, ...messages.flat()],
    trajectory_format: 'mini-swe-agent-1.1',
    instance_id: `repo-${n}`,
  };
}

function flat(seed: string) {
  const calls = callsOf(seed);
  return {
    ids: calls.flatMap(({ prompt, completion }) => [...prompt, ...completion]),
    mask: calls.flatMap(({ prompt, completion }) => [...prompt.map(() => 0), ...completion.map(() => 1)]),
    logprobs: calls.flatMap(({ prompt, logprobs }) => [...prompt.map(() => 0), ...logprobs]),
  };
}
