import { createRandom, type Random } from '../../examples/generate/random.ts';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';

export const TOKENS = 512;
/** Model calls of a rollout; with start, end and verdict it has three events more. */
const CALLS = 16;
/** Distinct token arrays: more than a cache holds. */
const POOL = 4096;

interface Tokens {
  readonly ids: Buffer;
  readonly logprobs: Buffer;
}

/** Steps of rollouts that run at once: each model call samples 512 tokens with logprobs, 4.3 KB encoded. */
export function createSampleSteps(seed: string, options: { atOnce?: number; textBytes?: number } = {}) {
  const random = createRandom(seed);
  const pool = Array.from({ length: POOL }, () => tokensOf(random));
  const text = Buffer.alloc(options.textBytes ?? 0, 'lorem ipsum dolor sit amet, ');
  const atOnce = options.atOnce ?? 64;
  const running: Array<{ rollout: string; task: string; seq: number }> = [];
  let begun = 0;
  let turn = 0;

  const begin = () => ({ rollout: `rollout-${begun}`, task: `task-${Math.floor(begun++ / 8)}`, seq: 0 });

  const eventOf = (rollout: string, task: string, seq: number): StepEventInit => {
    const base = identityOf(rollout, task);
    if (seq === LAST) return { ...base, event_id: `${rollout}-verdict`, kind: 'verdict', verdict: VERDICT };
    return { ...base, event_id: `${rollout}-${seq}`, seq, ...contentOf(seq, pool[Math.floor(random() * POOL)], text) };
  };

  /** The next event: rollouts take turns, and one that has ended makes room for the next. */
  return function next(): StepEventInit {
    if (running.length < atOnce) running.push(begin());
    turn = (turn + 1) % running.length;
    const at = running[turn] ?? begin();
    const event = eventOf(at.rollout, at.task, at.seq++);
    if (at.seq > LAST) running[turn] = begin();
    return event;
  };
}

/** Start, calls, end, verdict. */
const LAST = CALLS + 2;
const VERDICT = { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: 1 } } as const;

function contentOf(seq: number, tokens: Tokens | undefined, text: Buffer): Partial<StepEventInit> {
  if (seq === 0)
    return { kind: 'start', start: { prompt: Buffer.from('What is 6 × 7?'), weights_version: 'step-120' } };
  if (seq <= CALLS) return modelCall(seq - 1, tokens, text);
  return { kind: 'end', end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] } };
}

/** As an importer writes it: every field, one order. */
function identityOf(rolloutId: string, taskId: string): StepEventInit {
  return {
    run_id: 'bench',
    purpose: 'train',
    env_name: 'sums',
    task_id: taskId,
    epoch: 0,
    group_id: null,
    group_size: null,
    rollout_id: rolloutId,
    attempt: 0,
    segment_id: 'main',
    seq: null,
    event_id: rolloutId,
    producer_id: 'bench',
    kind: 'start',
    started_at: 1_772_442_000_000_000,
    ended_at: 1_772_442_001_000_000,
    duration_us: 1_000_000,
    source: { format: 'rollstream', version: '1', location: null },
    extra_json: null,
    start: null,
    model_call: null,
    message: null,
    tool_result: null,
    phase: null,
    verdict: null,
    end: null,
    control: null,
  };
}

function modelCall(call: number, tokens: Tokens | undefined, text: Buffer): Partial<StepEventInit> {
  return {
    kind: 'model_call',
    model_call: {
      call_id: `call-${call}`,
      model: 'Qwen/Qwen3-4B',
      replica: 'engine-0',
      prompt_prefix_len: call * TOKENS,
      prompt_delta_ids: Buffer.alloc(0),
      completion_ids: tokens?.ids ?? null,
      completion_logprobs: tokens?.logprobs ?? null,
      logprobs_mode: 'raw',
      weight_spans: [{ start: 0, version: 'step-120' }],
      raw_text: text.length === 0 ? null : text,
      finish_reason: 'stop',
      sampling: { temperature: 1, top_p: 1 },
      usage: { prompt_tokens: call * TOKENS, completion_tokens: TOKENS },
      server_e2e_us: 900_000,
    },
  };
}

function tokensOf(random: Random): Tokens {
  const ids = Uint32Array.from({ length: TOKENS }, () => Math.floor(random() * 151_936));
  const logprobs = Float32Array.from({ length: TOKENS }, () => -random() * 4);
  return { ids: Buffer.from(ids.buffer), logprobs: Buffer.from(logprobs.buffer) };
}
