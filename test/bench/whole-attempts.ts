import type { Decoded } from '../../processors/model/record.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { createCodecs } from '../../src/registry/codecs.ts';

/** Decoded events of attempts, a batch each: four calls of a few tokens, an end, a verdict; in groups of `groupSize`, or in none. */
export async function wholeAttempts(groupSize: number | null, attempts: number): Promise<Decoded[][]> {
  const codecs = createCodecs({ register: async () => 1, schemaOf: async () => stepEventSchema });
  const encode = await codecs.encoderOf<StepEventInit>('steps-value', stepEventSchema);
  await codecs.prepare([1]);
  const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
  let offset = 0;
  return Array.from({ length: attempts }, (_, n) => {
    const group = groupSize === null ? null : `group-${Math.floor(n / groupSize)}`;
    return eventsOf(n, group, groupSize).map((init) => {
      const result = decode(encode(init));
      if (result.kind !== 'ok') throw new Error('the event cannot be read');
      const cause = { offset, appendedAtMs: 1_772_442_000_000 + offset++ };
      return { unit: unitOf(result.value), event: result.value, cause };
    });
  });
}

function eventsOf(n: number, group_id: string | null, group_size: number | null): StepEventInit[] {
  const base = {
    ...{ run_id: 'bench', env_name: 'sums', task_id: 'task', group_id, group_size, rollout_id: `rollout-${n}` },
    ...{ producer_id: 'bench', source: { format: 'rollstream' }, started_at: 1_772_442_000_000_000 + n },
  };
  const call = (seq: number): StepEventInit => ({
    ...{ ...base, kind: 'model_call', seq, event_id: `${n}-${seq}` },
    model_call: {
      ...{ call_id: `call-${seq}`, prompt_prefix_len: (seq - 1) * 12, finish_reason: 'stop' },
      ...{ prompt_delta_ids: Buffer.alloc(16, seq), completion_ids: Buffer.alloc(32, seq) },
      ...{ completion_logprobs: Buffer.alloc(32), weight_spans: [{ start: 0, version: 'step-120' }] },
    },
  });
  const verdict = {
    scorer: 'sum',
    scorer_version: '1',
    status: 'scored',
    rewards: { correct: n % 3, format: 1 },
  } as const;
  return [
    { ...base, kind: 'start', seq: 0, event_id: `${n}-0`, start: {} },
    ...[1, 2, 3, 4].map(call),
    {
      ...base,
      kind: 'end',
      seq: 5,
      event_id: `${n}-5`,
      end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] },
    },
    { ...base, kind: 'verdict', event_id: `${n}-verdict`, verdict },
  ];
}
