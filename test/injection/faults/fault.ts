import type { Random } from '../../../src/simulate/random.ts';
import type { Wishes } from '../clean-trajectory.ts';
import type { ModelName } from '../models.ts';
import { known, type Rollout, type RolloutTurn } from '../rollout.ts';

/** What an audit has to say, of where the fault was put. */
export interface Want {
  readonly audit: string;
  readonly class: string;
  readonly turn: number | null;
  readonly index: number | null;
}

export interface Injected {
  readonly found: readonly Want[];
  /** What cannot but be said beside it, and why. */
  readonly follows?: ReadonlyArray<Want & { readonly why: string }>;
  /** What may be said beside it, and when. */
  readonly may?: ReadonlyArray<Want & { readonly when: string }>;
  /** Audits that say another result than pass and have no finding for it. */
  readonly results?: Readonly<Record<string, string>>;
  /** Splits of these turns are not measured any more. */
  readonly unmeasured?: readonly number[];
}

/** Something that goes wrong in a loop, an engine or a record. */
export interface Fault {
  /** What is found, as a promise. */
  readonly name: string;
  readonly models?: readonly ModelName[];
  readonly wishes?: Wishes;
  /** Puts it into a clean rollout, at a place of chance. */
  readonly inject: (rollout: Rollout, random: Random) => Injected;
}

export const QWENS: readonly ModelName[] = ['qwen3', 'qwen2_5'];

export function want(audit: string, name: string, turn: number | null, index: number | null): Want {
  return { audit, class: name, turn, index };
}

export function turnOf({ turns }: Rollout, turn: number): RolloutTurn {
  return known(turns[turn]);
}

/** A turn that is followed by another. */
export function followedTurn({ turns }: Rollout, random: Random): number {
  return random.whole(0, turns.length - 2);
}

export function anyTurn({ turns }: Rollout, random: Random): number {
  return random.whole(0, turns.length - 1);
}

/** Number of one of the turns that are so. */
export function someTurn({ turns }: Rollout, random: Random, isSo: (turn: RolloutTurn, i: number) => boolean): number {
  return random.pick(turns.flatMap((turn, i) => (isSo(turn, i) ? [i] : [])));
}
