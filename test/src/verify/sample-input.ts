import type { AttemptInput } from '../../../src/verify/attempt-input.ts';
import type { VerifierInput } from '../../../src/verify/verifier.ts';

/** What a verifier is shown of a rollout that answered a sum. */
export function sampleInput(given: Partial<VerifierInput> = {}): VerifierInput {
  return {
    ...{ run_id: 'run', env_name: 'sums', task_id: 'sum', rollout_id: 'r0', attempt: 0 },
    task: { answer: '42' },
    prompt: 'what is 40 + 2?',
    messages: [
      { role: 'user', content: 'what is 40 + 2?' },
      { role: 'assistant', content: '42' },
    ],
    no_messages: null,
    final_response: '42',
    reasons: [{ raw: 'task_complete', system: 'strands-env' }],
    env_reward: null,
    ...given,
  };
}

/** Rollouts r0, r1 … of one run, each with another answer. */
export function sampleAttempt(n: number, given: Partial<VerifierInput> = {}): AttemptInput {
  const input = sampleInput({ rollout_id: `r${n}`, final_response: String(n), ...given });
  const { run_id, env_name, task_id, rollout_id, attempt } = input;
  return {
    attempt: {
      ...{ run_id, purpose: 'train', env_name, task_id, epoch: 0, group_id: null, group_size: null },
      ...{ unit: `${run_id}/0/r/${rollout_id}`, rollout_id, attempt },
    },
    input,
    refused: null,
  };
}
