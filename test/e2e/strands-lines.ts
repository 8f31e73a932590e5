import type { Random } from '../../examples/generate/random.ts';
import { countEvents, digestOfCalls, type Expected, expectOutcome } from './expected.ts';
import type { WriteLine } from './import-data.ts';
import { type SampledCall, sampledCalls } from './sampled-call.ts';

const RUN = 'many-small';

/** One rollout a line, as strands-env writes its results: four samples a prompt, all but the last call ask for a tool. */
export function writeStrands(write: WriteLine, random: Random, rollouts: number, expected: Expected): void {
  for (let n = 0; n < rollouts; n++) {
    const calls = sampledCalls(random, 1 + Math.floor(random() * 4));
    const id = `p${Math.floor(n / 4)}_${n % 4}`;
    const kind = kindOf(random);
    write(strandsLine(id, `p${Math.floor(n / 4)}`, calls, kind));
    const { reward } = kind;
    const outcome = kind.rejected === null ? { ready: digestOfCalls(calls, reward) } : { rejected: kind.rejected };
    expectOutcome(expected, RUN, id, outcome);
    const timed = kind.seconds === null ? 0 : 1;
    countEvents(expected, { start: 1, message: 1, model_call: calls.length, tool_result: calls.length - 1 });
    countEvents(expected, { end: 1, phase: timed, verdict: 1 });
    if (kind.closesAtEnd) expected.lateVerdicts += 1;
  }
}

interface Kind {
  readonly termination: string;
  readonly reward: number | null;
  readonly withTokens: boolean;
  /** Duration of the verifier, if it was measured. */
  readonly seconds: number | null;
  /** The reason that accounting counts; null: it is ready. */
  readonly rejected: string | null;
  /** A fault is decided at its end event: the verdict after it is late. */
  readonly closesAtEnd: boolean;
}

function kindOf(random: Random): Kind {
  const drawn = random();
  const usual: Kind = {
    termination: 'task_complete',
    reward: Math.round(random()),
    withTokens: true,
    seconds: random() < 0.5 ? 0.012 : null,
    rejected: null,
    closesAtEnd: false,
  };
  if (drawn < 0.8) return usual;
  if (drawn < 0.85) return { ...usual, termination: 'max_tokens_reached' };
  if (drawn < 0.9) return { ...usual, reward: null, rejected: 'reward_missing' };
  if (drawn < 0.95) return { ...usual, withTokens: false, rejected: 'no_tokens' };
  return { ...usual, termination: 'connection_error', reward: null, rejected: 'retry:llm_error', closesAtEnd: true };
}

function strandsLine(id: string, prompt: string, calls: readonly SampledCall[], kind: Kind): object {
  const { termination, reward, withTokens, seconds } = kind;
  return {
    task: { id, message: `question ${prompt}`, ground_truth: '42' },
    result: {
      messages: [{ role: 'user', content: [{ text: `question ${prompt}` }] }, ...calls.flatMap(messagesOf)],
      rollout: withTokens ? flat(calls) : null,
      metrics: seconds === null ? null : { reward_latency_s: seconds },
      reward_result: reward === null ? null : { reward, info: {} },
      termination_reason: termination,
    },
    aborted: false,
    prompt_id: prompt,
  };
}

function messagesOf(_call: SampledCall, turn: number, calls: readonly SampledCall[]): object[] {
  if (turn === calls.length - 1) return [{ role: 'assistant', content: [{ text: 'it is 42' }] }];
  const toolUseId = 'call_0000';
  return [
    { role: 'assistant', content: [{ text: 'I add' }, { toolUse: { toolUseId, name: 'add', input: { a: turn } } }] },
    { role: 'user', content: [{ toolResult: { toolUseId, status: 'success', content: [{ text: `${turn}` }] } }] },
  ];
}

function flat(calls: readonly SampledCall[]): object {
  return {
    token_ids: calls.flatMap(({ promptIds, completionIds }) => [...promptIds, ...completionIds]),
    loss_mask: calls.flatMap(({ promptIds, completionIds }) => [
      ...promptIds.map(() => 0),
      ...completionIds.map(() => 1),
    ]),
    logprobs: calls.flatMap(({ promptIds, logprobs }) => [...promptIds.map(() => null), ...logprobs]),
    segment_info: calls.flatMap(({ promptIds, completionIds }) => [
      [false, promptIds.length],
      [true, completionIds.length],
    ]),
  };
}
