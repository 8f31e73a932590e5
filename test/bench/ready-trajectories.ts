import { createRandom } from '../../examples/generate/random.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { type TrajectoryInit, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { Broker, NewRecord } from '../../src/broker/port.ts';
import { topicNames } from '../../src/config/topics.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import type { Registry } from '../../src/registry/port.ts';

/** Sampled tokens of a trajectory: steps × tokens. */
export const STEPS = 8;
export const STEP_TOKENS = 512;
export const SAMPLED = STEPS * STEP_TOKENS;
const PROMPT_TOKENS = 64;
export const MEMBERS = 8;
/** Distinct token arrays: more than a cache holds. */
const POOL = 1_024;
const LENGTH = PROMPT_TOKENS + SAMPLED;

/** The next records of a run as a lane sends them to the ready topic: one whole group. */
export type NextGroup = (run: string) => NewRecord[];

/** Each of 8 steps × 512 sampled tokens behind a prompt, with logprobs, masks, turns and a verdict: 42 KB. */
export async function createReadyGroups(registry: Registry, seed: string): Promise<NextGroup> {
  const encode = await createCodecs(registry).encoderOf<TrajectoryInit>(
    `${topicNames('').ready}-value`,
    trajectorySchema,
  );
  const random = createRandom(seed);
  const pool = Array.from({ length: POOL }, () => ({
    ids: Buffer.from(Uint32Array.from({ length: LENGTH }, () => Math.floor(random() * 151_936)).buffer),
    logprobs: Buffer.from(
      Float32Array.from({ length: LENGTH }, (_, at) => (at < PROMPT_TOKENS ? 0 : -random() * 4)).buffer,
    ),
  }));
  let groups = 0;
  return function nextGroup(run) {
    const group = `group-${groups++}`;
    return Array.from({ length: MEMBERS }, (_, member) => {
      const tokens = pool[Math.floor(random() * POOL)];
      if (tokens === undefined) throw new Error('the pool is empty');
      const trajectory = trajectoryOf({ run, group, member, ...tokens });
      const headers = { run, group, index: String(member), size: String(MEMBERS), disposition: 'train' };
      return { key: unitOf({ epoch: 0, ...trajectory }), value: encode(trajectory), headers, partition: 0 };
    });
  };
}

/** Appends so many groups; resolves once they are on disk. */
export async function fillReady(broker: Broker, next: NextGroup, run: string, groups: number): Promise<void> {
  const atOnce = 8;
  for (let left = groups; left > 0; left -= atOnce) {
    const records = Array.from({ length: Math.min(atOnce, left) }, () => next(run)).flat();
    await broker.append(topicNames('').ready, records);
  }
}

const MASK = Buffer.from(Uint8Array.from({ length: LENGTH }, (_, at) => (at < PROMPT_TOKENS ? 0 : 1)));
const AUDIT: TrajectoryInit['audit'] = {
  ...{ tokens: 'pass', template: 'pass', tools: 'pass', termination: 'pass', numbers: 'pass', wall: 'pass' },
  reencode: 'not_auditable',
};

interface Member {
  readonly run: string;
  readonly group: string;
  readonly member: number;
  readonly ids: Buffer;
  readonly logprobs: Buffer;
}

function trajectoryOf({ run, group, member, ids, logprobs }: Member): TrajectoryInit & { group_id: string } {
  const turns = Array.from({ length: STEPS }, (_, turn) => {
    const start = PROMPT_TOKENS + turn * STEP_TOKENS;
    const call = { turn, segment_id: 'main', call_id: `call-${turn}`, start, end: start + STEP_TOKENS };
    return { ...call, finish_reason: 'stop', temperature: 1, top_p: 1, logprobs_mode: 'raw' };
  });
  const masks = { sampled_mask: MASK, loss_mask: MASK, weight_spans: [{ start: PROMPT_TOKENS, version: 'step-120' }] };
  return {
    ...{ run_id: run, env_name: 'sums', task_id: group, group_id: group, rollout_id: `${group}-${member}` },
    segments: [{ segment_id: 'main', token_ids: ids, prompt_len: PROMPT_TOKENS, logprobs, ...masks }],
    turns,
    reasons: [{ code: 'task_complete', category: 'completed', raw: 'task_complete', system: 'rollstream' }],
    verdicts: [{ scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: member % 2 } }],
    ...{ category: 'completed', finish_reason: 'stop', reward: member % 2, reward_valid: true },
    ...{ advantage: (member % 2) - 0.5, in_loss: true, in_baseline: true, disposition: 'train' },
    ...{ why: ['task_complete'], policy_id: 'policy', taxonomy_id: 'taxonomy', score_id: 'score' },
    audit: AUDIT,
    ...{ group_size_actual: MEMBERS, group_index: member, segment_count: 1, rollout_loss_tokens: SAMPLED },
    ...{ weights_version_min: 'step-120', weights_version_max: 'step-120' },
    ...{ partition: 0, first_offset: 0, last_offset: 1, ready_at: 1_772_442_000_000_000 },
  };
}
