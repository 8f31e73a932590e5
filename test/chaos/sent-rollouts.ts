import { createRandom } from '../../examples/generate/random.ts';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';
import { digestOfCalls } from '../e2e/expected.ts';
import { type SampledCall, sampledCalls } from '../e2e/sampled-call.ts';

/** What must become of one attempt: the digest of what a trainer gets, or the reason that is counted. */
export interface SentAttempt {
  readonly run: string;
  readonly rollout: string;
  readonly attempt: number;
  readonly ready: string | null;
  readonly rejected: string | null;
}

export interface SentRollouts {
  /** The next event. Its attempt was told to `onBegun` before the first of its events came. null: none is left. */
  next(): StepEventInit | null;
  /** Begins no more. */
  finish(): void;
}

const GROUP_SIZE = 4;
const SOURCE = { format: 'chaos', version: '1' } as const;
type Identity = Pick<
  StepEventInit,
  'run_id' | 'env_name' | 'task_id' | 'group_id' | 'group_size' | 'rollout_id' | 'attempt' | 'producer_id' | 'source'
>;

/**
 * Rollouts whose events interleave, `atOnce` of them open at any moment: groups of four, in some of which one member is
 * cancelled; single ones; and single ones that fail and run again.
 */
export function createSentRollouts(
  options: { readonly seed: string; readonly atOnce: number; readonly longest: number },
  onBegun: (attempt: SentAttempt) => void,
): SentRollouts {
  const random = createRandom(options.seed);
  const queues: StepEventInit[][] = [];
  let begun = 0;
  let finished = false;

  function attempt(identity: Identity, ending: 'scored' | 'cancelled' | 'failed'): StepEventInit[] {
    const calls = sampledCalls(random, 1 + Math.floor(random() * 3), options.longest);
    const reward = Math.floor(random() * 3);
    const base = { run: identity.run_id, rollout: identity.rollout_id, attempt: identity.attempt ?? 0 };
    const rejected = { scored: null, cancelled: 'operator', failed: 'retry:llm_error' }[ending];
    onBegun({ ...base, ready: rejected === null ? digestOfCalls(calls, reward) : null, rejected });
    const raw = { scored: 'task_complete', cancelled: 'cancelled', failed: 'connection_error' }[ending];
    const system = { scored: 'rollstream', cancelled: 'inspect', failed: 'strands-env' }[ending];
    const contents: Array<Pick<StepEventInit, 'kind' | 'start' | 'model_call' | 'end'>> = [
      { kind: 'start', start: { prompt: Buffer.from('question'), weights_version: 'step-1' } },
      ...calls.map((_, turn) => modelCall(calls, turn)),
      { kind: 'end', end: { reasons: [{ raw, system }] } },
    ];
    const name = `${identity.run_id}/${identity.rollout_id}/${identity.attempt}`;
    const events = contents.map((content, seq) => ({ ...identity, event_id: `${name}/${seq}`, seq, ...content }));
    if (ending !== 'scored') return events;
    const verdict = { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: reward } } as const;
    return [...events, { ...identity, event_id: `${name}/verdict`, kind: 'verdict', verdict }];
  }

  function begin(): void {
    const n = begun++;
    const identity = { env_name: 'adding', producer_id: 'chaos', source: SOURCE, attempt: 0 };
    if (random() < 0.5) {
      const id = { ...identity, run_id: 'single', task_id: `t${n}`, group_id: null, rollout_id: `r${n}` };
      const failed = random() < 0.15 ? attempt(id, 'failed') : [];
      queues.push([...failed, ...attempt({ ...id, attempt: failed.length > 0 ? 1 : 0 }, 'scored')]);
      return;
    }
    const group = { ...identity, run_id: 'grouped', task_id: `g${n}`, group_id: `g${n}`, group_size: GROUP_SIZE };
    const cancelled = random() < 0.15 ? 0 : -1;
    for (let member = 0; member < GROUP_SIZE; member += 1) {
      const ending = member === cancelled ? 'cancelled' : 'scored';
      queues.push(attempt({ ...group, rollout_id: `g${n}_${member}` }, ending));
    }
  }

  return {
    next() {
      while (!finished && queues.length < options.atOnce) begin();
      const at = Math.floor(random() * queues.length);
      const queue = queues[at];
      if (queue === undefined) return null;
      const event = queue.shift() ?? null;
      if (queue.length === 0) queues.splice(at, 1);
      return event;
    },
    finish() {
      finished = true;
    },
  };
}

function modelCall(calls: readonly SampledCall[], turn: number): Pick<StepEventInit, 'kind' | 'model_call'> {
  const earlier = calls.slice(0, turn);
  const held = earlier.reduce((sum, { promptIds, completionIds }) => sum + promptIds.length + completionIds.length, 0);
  const { promptIds, completionIds, logprobs } = calls[turn] ?? { promptIds: [], completionIds: [], logprobs: [] };
  return {
    kind: 'model_call',
    model_call: {
      call_id: `call-${turn}`,
      prompt_prefix_len: held,
      prompt_delta_ids: Buffer.from(Uint32Array.from(promptIds).buffer),
      completion_ids: Buffer.from(Uint32Array.from(completionIds).buffer),
      completion_logprobs: Buffer.from(Float32Array.from(logprobs).buffer),
      weight_spans: [{ start: 0, version: 'step-1' }],
      finish_reason: 'stop',
    },
  };
}
