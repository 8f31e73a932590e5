import { createRandom, type Random } from '../../examples/generate/random.ts';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';

/** Members of a group. */
export const MEMBERS = 8;
/** Model calls of a rollout; with start, end and verdict it is eight steps. */
const CALLS = 5;
/** Steps of a rollout. */
export const STEPS = CALLS + 3;
/** A millisecond between two steps, µs. */
const STEP_US = 1_000;
const BEGAN_US = 1_772_442_000_000_000;

/** Steps of whole groups of known size, one after the other, the members of each in turn: `<run>-<n>` are the groups. */
export function groupEvents(run: string, groups: number, tokens: number): StepEventInit[] {
  const random = createRandom(`${run} ${tokens}`);
  return Array.from({ length: groups }, (_, group) => eventsOf(run, group, tokens, random)).flat();
}

function eventsOf(run: string, group: number, tokens: number, random: Random): StepEventInit[] {
  const events: StepEventInit[] = [];
  for (let step = 0; step < STEPS; step++)
    for (let member = 0; member < MEMBERS; member++) {
      const rollout = `${run}-${group}-${member}`;
      const at = BEGAN_US + (group * STEPS * MEMBERS + events.length) * STEP_US;
      events.push({
        ...{
          run_id: run,
          env_name: 'sums',
          task_id: `task-${group}`,
          group_id: `${run}-${group}`,
          group_size: MEMBERS,
        },
        ...{ rollout_id: rollout, attempt: 0, event_id: `${rollout}.${step}`, producer_id: 'bench' },
        ...{ started_at: at, ended_at: at + STEP_US, duration_us: STEP_US, source: { format: 'rollstream' } },
        seq: step === LAST ? null : step,
        ...contentOf(step, rewardOf(group, member), tokens, random),
      });
    }
  return events;
}

const LAST = STEPS - 1;

/** Every fourth group has no spread. */
function rewardOf(group: number, member: number): number {
  return group % 4 === 3 ? 1 : (member + group) % 3 === 0 ? 1 : 0;
}

type Content = Pick<StepEventInit, 'kind' | 'start' | 'model_call' | 'end' | 'verdict'>;

function contentOf(step: number, reward: number, tokens: number, random: Random): Content {
  if (step === 0)
    return { kind: 'start', start: { prompt: Buffer.from('What is 6 × 7?'), weights_version: 'step-120' } };
  if (step === LAST)
    return {
      kind: 'verdict',
      verdict: { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: reward } },
    };
  if (step > CALLS) return { kind: 'end', end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] } };
  const ids = Uint32Array.from({ length: tokens }, () => Math.floor(random() * 151_936));
  const logprobs = Float32Array.from({ length: tokens }, () => -random() * 4);
  return {
    kind: 'model_call',
    model_call: {
      call_id: `call-${step - 1}`,
      model: 'Qwen/Qwen3-4B',
      replica: 'engine-0',
      prompt_prefix_len: (step - 1) * tokens,
      prompt_delta_ids: Buffer.alloc(0),
      completion_ids: Buffer.from(ids.buffer),
      completion_logprobs: Buffer.from(logprobs.buffer),
      logprobs_mode: 'raw',
      weight_spans: [{ start: 0, version: 'step-120' }],
      finish_reason: 'stop',
      sampling: { temperature: 1, top_p: 1 },
      usage: { prompt_tokens: (step - 1) * tokens, completion_tokens: tokens },
      server_e2e_us: 900_000,
    },
  };
}
