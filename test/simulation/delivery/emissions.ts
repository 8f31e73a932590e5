import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { Random } from '../../../src/simulate/random.ts';

interface Sampled {
  readonly tokens: number;
  readonly versions: readonly string[];
  /** By which weights, whatever they were called. */
  readonly made: readonly string[];
}

type Due = Pick<ReadyEntry, 'run' | 'unit' | 'group' | 'size' | 'rollout' | 'replay' | 'again'>;
type Emitted = Due & Sampled;

/** A unit that is on the topic, or will be. */
interface Known {
  readonly run: string;
  readonly unit: string;
  /** Its members pass one by one. */
  readonly isAlone: boolean;
  readonly members: Array<{ readonly rollout: string } & Sampled>;
  /** Of what was decided live, those that have not come. */
  due: number;
  versions: number;
}

const MOST_VERSIONS = 5;

/** Who writes to ready: groups open while members of others still arrive, versions of one unit among them. */
export class Emissions {
  #tail: Array<Due & { readonly of: Known; readonly sampled: Sampled | null }> = [];
  readonly #known: Known[] = [];

  get isEmpty(): boolean {
    return this.#tail.length === 0;
  }

  /** As it was decided live. */
  group(rng: Random, run: string, name: string): void {
    const members = rng.pick([1, 1, 2, 3]);
    const isAlone = members > 1 && rng.chance(0.2);
    const unit = `${run}.g${name}`;
    const of: Known = { run, unit, isAlone, members: [], due: members, versions: 1 };
    this.#known.push(of);
    for (let i = 0; i < members; i++) {
      const size = isAlone ? 1 : members;
      this.#tail.push({ run, unit, group: unit, size, rollout: `${unit}.${i}`, of, sampled: null });
    }
  }

  /** Members leave, and others come that were left out before; a policy may emit one by one what went whole. */
  again(rng: Random, replay: string, sample: (run: string) => Sampled): void {
    const ready = this.#known.filter(({ due, versions }) => due === 0 && versions < MOST_VERSIONS);
    const of = ready.at(-rng.whole(1, Math.max(1, Math.min(ready.length, rng.pick([4, 12, 1000])))));
    if (of === undefined) return;
    const { run, unit } = of;
    of.versions += 1;
    const isAlone = of.isAlone !== rng.chance(0.1);
    if (rng.chance(0.1)) of.members.push({ rollout: `${unit}.${of.members.length}`, ...sample(run) });
    const left = rng.chance(0.2) && of.members.length > 1 ? rng.whole(0, of.members.length - 1) : -1;
    const members = of.members.filter((_, index) => index !== left);
    const isAgain = rng.chance(0.15);
    for (const { rollout, ...sampled } of members) {
      const group = isAlone ? `${unit}\u0000${replay}\u0000${rollout}` : `${unit}\u0000${replay}`;
      const version = { group, replay, size: isAlone ? 1 : members.length };
      this.#tail.push({ run, unit, rollout, ...version, ...(isAgain ? { again: true } : {}), of, sampled });
    }
  }

  /** The next one to arrive. */
  next(rng: Random, sample: (run: string) => Sampled): Emitted | null {
    const [next] = this.#tail.splice(rng.whole(0, this.#tail.length - 1), 1);
    if (next === undefined) return null;
    const { of, sampled, ...due } = next;
    const known = sampled ?? sample(due.run);
    if (sampled === null) {
      of.due -= 1;
      of.members.push({ rollout: due.rollout, ...known });
    }
    return { ...due, ...known };
  }
}
