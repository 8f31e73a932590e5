import type { DecisionRow } from '../model/effects.ts';
import type { ComparedDecision, Vanished } from '../model/replay.ts';
import { createAdvantageDiff } from './advantage-diff.ts';
import { compareChanged } from './compare-changed.ts';
import { MOST_NAMED } from './diff-limits.ts';
import type { ChangedAttempt, DecidedAs, DiffTally } from './diff-tally.ts';
import { createFirstFew } from './first-few.ts';
import { createPairCounts } from './pair-counts.ts';
import { createRewardDiff, validReward } from './reward-diff.ts';

/** Counts what a replay changes, unit by unit. */
export interface Diff {
  /** All of a unit at once, each unit once. */
  add(
    unit: string,
    before: readonly ComparedDecision[],
    after: readonly DecisionRow[],
    vanished: readonly Vanished[],
  ): void;
  tally(): DiffTally;
}

type Decided = Pick<
  ComparedDecision,
  'reason_code' | 'category' | 'disposition' | 'why' | 'reward' | 'reward_valid' | 'advantage'
>;

export function createDiff(): Diff {
  let attempts = 0;
  let changed = 0;
  let vanishedCount = 0;
  let appeared = 0;
  // Codes and categories are those of two taxonomies: no more than they name.
  const reasons = createPairCounts<string>(Number.POSITIVE_INFINITY);
  const categories = createPairCounts<string>(Number.POSITIVE_INFINITY);
  const dispositions = createPairCounts<string>(Number.POSITIVE_INFINITY);
  const rewards = createRewardDiff();
  const advantages = createAdvantageDiff();
  const named = createFirstFew<ChangedAttempt>(MOST_NAMED, compareChanged);

  function compare(unit: string, old: ComparedDecision, now: DecisionRow): void {
    attempts++;
    const id = now.rollout_id;
    reasons.add(old.reason_code, now.reason_code, id);
    categories.add(old.category, now.category, id);
    dispositions.add(old.disposition, now.disposition, id);
    const isRewarded = rewards.add(validReward(old), validReward(now), id);
    const isMoved = advantages.add(unit, old.advantage, now.advantage);
    const isSame =
      !isRewarded &&
      !isMoved &&
      old.reason_code === now.reason_code &&
      old.category === now.category &&
      old.disposition === now.disposition;
    if (isSame) return;
    changed++;
    name(unit, now, old, now, '');
  }

  function name(
    unit: string,
    { rollout_id, attempt }: { readonly rollout_id: string; readonly attempt: number },
    before: Decided | null,
    after: Decided | null,
    refused: string,
  ): void {
    const one = { unit, rollout_id, attempt, before: null, after: null, refused };
    if (named.takes(one)) named.add({ ...one, before: decidedAs(before), after: decidedAs(after) });
  }

  return {
    add(unit, before, after, vanished) {
      const pairs = createPairing(before);
      for (const now of after) {
        const old = pairs.take(now);
        if (old !== null) compare(unit, old, now);
        else {
          appeared++;
          name(unit, now, null, now, '');
        }
      }
      for (const old of pairs.rest()) {
        vanishedCount++;
        const why = vanished.find((one) => one.rolloutId === old.rollout_id && one.attempt === old.attempt);
        name(unit, old, old, null, why?.reason ?? 'unknown');
      }
    },
    tally: () => ({
      ...{ attempts, same: attempts - changed, changed, vanished: vanishedCount, appeared },
      ...{ reasons: reasons.cells(), categories: categories.cells(), dispositions: dispositions.cells() },
      ...{ rewards: rewards.diff(), advantages: advantages.diff(), examples: [...named.list()] },
    }),
  };
}

function decidedAs(one: Decided | null): DecidedAs | null {
  if (one === null) return null;
  const { reason_code, category, disposition, why, advantage } = one;
  return { reason_code, category, disposition, why: why.join(', '), reward: validReward(one), advantage };
}

interface Pairing {
  /** What was decided before about the same attempt; null: nothing was. */
  take(now: DecisionRow): ComparedDecision | null;
  /** Those that were not taken. */
  rest(): Iterable<ComparedDecision>;
}

/** Both sides are nearly always in one order: what is not at its place is looked up. */
function createPairing(before: readonly ComparedDecision[]): Pairing {
  const taken = new Uint8Array(before.length);
  let next = 0;
  let places: Map<string, number> | null = null;

  function placeOf(now: DecisionRow): number {
    const there = before[next];
    if (there !== undefined && there.attempt === now.attempt && there.rollout_id === now.rollout_id) return next;
    places ??= new Map(before.map((one, index) => [keyOf(one), index]));
    return places.get(keyOf(now)) ?? -1;
  }

  return {
    take(now) {
      const place = placeOf(now);
      const found = before[place];
      if (found === undefined || taken[place] === 1) return null;
      taken[place] = 1;
      next = place + 1;
      return found;
    },
    *rest() {
      for (const [place, one] of before.entries()) if (taken[place] === 0) yield one;
    },
  };
}

function keyOf({ rollout_id, attempt }: { readonly rollout_id: string; readonly attempt: number }): string {
  return `${attempt}/${rollout_id}`;
}
