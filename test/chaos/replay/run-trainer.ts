import { randomUUID } from 'node:crypto';
import type { Random } from '../../../examples/generate/random.ts';
import { trajectoryDigest } from '../../e2e/expected.ts';
import { type Ask, Refused } from '../delivery/ask.ts';
import { nameOf } from './sums-runs.ts';

/** When it was leased: before a replay began, while it worked, when all that it emitted had come. */
export type Phase = 'before' | 'during' | 'after';

/** One trajectory in the weights. */
export interface InWeights {
  readonly name: string;
  readonly unit: string;
  readonly digest: string;
  readonly reward: number | null;
  readonly phase: Phase;
}

interface Checkpoint {
  readonly lineage: number;
  readonly step: number;
  readonly weights: readonly InWeights[];
}

/** The trainer of a run, that dies and comes back as often as it is told to: all it then has is its checkpoint. */
export interface RunTrainer {
  readonly run: string;
  /** What its weights were trained on. */
  weights(): readonly InWeights[];
  /** Groups that were ever trained, in histories that are no more too. */
  readonly ever: ReadonlySet<string>;
  /** A step of so many groups at most; false: there was nothing. */
  step(groups: number, phase: Phase, waitMs?: number): Promise<boolean>;
  /** Saved, and sealed. */
  save(): Promise<void>;
  /** Restores one of its last two checkpoints; with a lease that nobody ends, at times. */
  die(): Promise<void>;
  readonly deaths: () => number;
}

interface Leased {
  readonly lease: string | null;
  readonly trajectories?: ReadonlyArray<{
    readonly rollout_id: string;
    readonly group_id: string;
    readonly reward: number | null;
    readonly segments: ReadonlyArray<{
      readonly token_ids: readonly number[];
      readonly sampled_mask: readonly number[];
      readonly logprobs: readonly number[] | null;
    }>;
  }>;
}

const BEGINNING: Checkpoint = { lineage: 0, step: 0, weights: [] };
/** A server keeps ten. */
const KEPT = 8;

export function createRunTrainer(ask: Ask, random: Random, run: string): RunTrainer {
  const ever = new Set<string>();
  let checkpoints: Checkpoint[] = [BEGINNING];
  let state: { lineage: number; step: number; weights: InWeights[] } = { ...BEGINNING, weights: [] };
  let index = 0;
  let deaths = 0;

  async function post<Answered>(path: string, body: object): Promise<Answered> {
    return JSON.parse((await ask('POST', path, body)).body.toString());
  }

  async function lease(groups: number, waitMs: number): Promise<Leased> {
    const { lineage } = state;
    const common = { run, consumer: 'trainer', lineage, wait_ms: waitMs };
    return post<Leased>('/v1/leases', { ...common, batch_index: index++, count: groups });
  }

  function received({ trajectories = [] }: Leased, phase: Phase): InWeights[] {
    return trajectories.map(({ rollout_id, group_id, reward, segments }) => ({
      ...{ name: nameOf(run, rollout_id), unit: nameOf(run, group_id), reward, phase },
      digest: segments
        .map((part) => trajectoryDigest(part.token_ids, part.sampled_mask, part.logprobs ?? [], reward))
        .join(),
    }));
  }

  async function die(): Promise<void> {
    deaths += 1;
    if (random() < 0.3) await lease(2, 0);
    const back = random() < 0.4 ? 2 : 1;
    checkpoints = checkpoints.slice(0, Math.max(1, checkpoints.length - back + 1));
    const at = checkpoints.at(-1) ?? BEGINNING;
    const asked = { step: at.step, lineage: at.lineage, expect: state.lineage, request: randomUUID() };
    const { lineage } = await post<{ lineage: number }>(`/v1/runs/${run}/rewind`, asked);
    state = { lineage, step: at.step, weights: [...at.weights] };
  }

  return {
    run,
    weights: () => state.weights,
    ever,
    async step(groups, phase, waitMs = 0) {
      const batch = await lease(groups, waitMs);
      if (batch.lease === null) return false;
      const some = received(batch, phase);
      try {
        await post(`/v1/leases/${batch.lease}/ack`, { lineage: state.lineage, step: state.step + 1 });
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== 'RS_LEASE_LOST') throw error;
        return true;
      }
      state.step += 1;
      state.weights.push(...some);
      for (const { unit } of some) ever.add(unit);
      return true;
    },
    async save() {
      const { lineage, step, weights } = state;
      if (step === 0 || checkpoints.at(-1)?.step === step) return;
      await post(`/v1/runs/${run}/checkpoints`, { lineage, step });
      checkpoints = [...checkpoints, { lineage, step, weights: [...weights] }].slice(-KEPT);
    },
    die,
    deaths: () => deaths,
  };
}
