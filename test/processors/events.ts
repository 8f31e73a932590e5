import type {
  DeadlineName,
  EndInit,
  ModelCallInit,
  PhaseInit,
  StartInit,
  StepEventInit,
  ToolResultInit,
  VerdictInit,
} from '../../schemas/generated/step-event.ts';

type Identity = Partial<
  Pick<
    StepEventInit,
    'run_id' | 'purpose' | 'epoch' | 'group_id' | 'group_size' | 'rollout_id' | 'attempt' | 'producer_id'
  >
>;
type Over = Partial<StepEventInit>;

/** Events of one attempt. Each has its own id; the same call again has the same. */
export function attemptOf(identity: Identity = {}) {
  const base = {
    run_id: 'run',
    env_name: 'calc',
    task_id: 'task',
    rollout_id: 'r',
    producer_id: 'producer',
    source: { format: 'test' },
    ...identity,
  };
  const id = (what: string) => `${base.rollout_id}/${base.attempt ?? 0}/${what}`;
  return {
    start: (over: Over = {}, start: StartInit = {}): StepEventInit => ({
      ...base,
      ...{ kind: 'start', seq: 0, event_id: id('start'), start },
      ...over,
    }),
    /** A call whose tokens are given as numbers; `logprobs` absent: none. */
    call: (seq: number, call: CallTokens = {}, over: Over = {}): StepEventInit => ({
      ...base,
      ...{ kind: 'model_call', seq, event_id: id(`call ${seq}`), model_call: modelCall(seq, call) },
      ...over,
    }),
    tool: (seq: number, result: ToolResultInit, over: Over = {}): StepEventInit => ({
      ...base,
      ...{ kind: 'tool_result', seq, event_id: id(`tool ${seq}`), tool_result: result },
      ...over,
    }),
    phase: (name: string, phase: PhaseInit, over: Over = {}): StepEventInit => ({
      ...base,
      ...{ kind: 'phase', event_id: id(`phase ${name}`), phase },
      ...over,
    }),
    end: (seq: number, raw = 'task_complete', system = 'strands-env', over: Over = {}): StepEventInit => ({
      ...base,
      ...{ kind: 'end', seq, event_id: id(`end ${seq}`), end: { reasons: [{ raw, system }] } },
      ...over,
    }),
    ending: (seq: number, end: EndInit, over: Over = {}): StepEventInit => ({
      ...base,
      ...{ kind: 'end', seq, event_id: id(`end ${seq}`), end },
      ...over,
    }),
    verdict: (reward: number | null, verdict: Partial<VerdictInit> = {}, over: Over = {}): StepEventInit => ({
      ...base,
      kind: 'verdict',
      event_id: id(`verdict ${verdict.scorer ?? 'scorer'} ${verdict.bound_to ?? ''}`),
      verdict: { scorer: 'scorer', scorer_version: '1', status: 'scored', rewards: { reward }, ...verdict },
      ...over,
    }),
    /** Start, one call, end, verdict. */
    whole(reward = 1, raw = 'task_complete'): StepEventInit[] {
      return [this.start(), this.call(1), this.end(2, raw), this.verdict(reward)];
    },
  };
}

export interface CallTokens
  extends Omit<ModelCallInit, 'call_id' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'> {
  readonly call_id?: string;
  readonly prompt?: readonly number[] | null;
  readonly sampled?: readonly number[] | null;
  readonly logprobs?: readonly number[] | null;
}

function modelCall(seq: number, { prompt = [10, 11], sampled = [20, 21, 22], logprobs, ...call }: CallTokens) {
  const own = logprobs === undefined ? (sampled?.map((_, i) => -0.5 * (i + 1)) ?? null) : logprobs;
  return {
    call_id: `call ${seq}`,
    finish_reason: 'stop',
    weight_spans: sampled === null || sampled.length === 0 ? [] : [{ start: 0, version: '7' }],
    ...call,
    prompt_delta_ids: prompt === null ? null : uint32(prompt),
    completion_ids: sampled === null ? null : uint32(sampled),
    completion_logprobs: own === null ? null : float32(own),
  };
}

export function uint32(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, i * 4);
  return bytes;
}

export function float32(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeFloatLE(value, i * 4);
  return bytes;
}

export function numbersOf(bytes: Buffer | null | undefined, kind: 'uint32' | 'float32' | 'mask'): number[] | null {
  if (bytes === null || bytes === undefined) return null;
  if (kind === 'mask') return [...bytes];
  return Array.from({ length: bytes.length / 4 }, (_, i) =>
    kind === 'uint32' ? bytes.readUInt32LE(i * 4) : bytes.readFloatLE(i * 4),
  );
}

/** A deadline as a lane would have written it. */
export function deadlineOf(
  name: DeadlineName,
  about: { unit: string; unit_start: number; rollout_id?: string; attempt?: number; saw?: string },
): StepEventInit {
  return {
    ...{ run_id: 'run', env_name: '', task_id: '', producer_id: 'rollstream', source: { format: 'rollstream' } },
    rollout_id: about.rollout_id ?? '',
    attempt: about.attempt ?? 0,
    event_id: `${name} ${JSON.stringify(about)}`,
    kind: 'control',
    control: {
      type: 'deadline',
      deadline: { name, unit: about.unit, unit_start: about.unit_start, saw: about.saw ?? '' },
    },
  };
}
