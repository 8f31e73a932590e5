import type {
  BatchTokens,
  CheckpointName,
  DeliveryRefusal,
  DeliveryUnit,
  Fact,
  Facts,
  Grant,
  ReadyEntry,
  ReadyState,
  RunHead,
  TakeRule,
} from '../model/delivery.ts';
import { isInRanges } from './final-ranges.ts';
import { type Judged, judgeVersions } from './judge-versions.ts';
import { ReadyOrder } from './ready-order.ts';
import { type Refused, refused } from './requests.ts';
import { RunWeights } from './run-weights.ts';
import { UnitVersions } from './unit-versions.ts';

/** A record of ready.leases in the books of its run. */
export interface RecordUse {
  /** Entries that no record before it had named. */
  readonly names: number[];
  /** Entries of which it has the last word. */
  words: number;
}

/** The last word on an entry, and the record that has it. Entries of one record with the same fact share it. */
export interface Said {
  readonly fact: Fact;
  readonly by: RecordUse;
}

export interface KnownLease {
  /** null: the record is gone, or nothing can be done with the lease any more. */
  grant: Grant | null;
  /** Entries that it had, or that were vouched for in its name. */
  readonly offsets: Set<number>;
}

const TERMINAL: ReadonlySet<ReadyState> = new Set(['expired', 'undeliverable', 'trainer_rejected', 'replaced']);
export const isTerminal = (state: ReadyState): boolean => TERMINAL.has(state);

const NEVER: Fact = { state: 'queued', lineage: 0, step: 0, lease: '', count: 0 };

/**
 * One run: scalars, and the last fact on each entry that is not final; its rules are computed from these. The surviving history is
 * the set of facts `trained` whose (lineage, step) survives every rewind since: an entry has one such fact at most, and the weights
 * that its trainer restores or goes on with hold exactly these entries.
 */
export class RunBooks extends RunWeights {
  readonly order = new ReadyOrder();
  readonly versions = new UnitVersions();
  /** Offsets of what a replay emitted: not looked up yet whether another version of it is final; and those of which one is, trained. */
  readonly unseen = new Set<number>();
  readonly trainedBefore = new Set<number>();
  /** What was replaced, and no record says so yet: offset → why. Kept by RunStates. */
  readonly owed = new Map<number, string>();
  readonly facts = new Map<number, Said>();
  readonly leases = new Map<string, KnownLease>();
  /** null: nothing was granted yet. */
  unit: DeliveryUnit | null = null;
  request: string | null = null;
  forked: string | null = null;
  inheritedCount = 0;
  seals: readonly CheckpointName[] = [{ lineage: 0, step: 0 }];
  floor = 0;
  readonly last = new Map<string, readonly [index: number, attempt: number]>();
  /** Final is all below, and ranges above it. Holds: no live entry is final. */
  low = 0;
  final: RunHead['final'] = [];
  /** States of what is final. */
  counts: ReadonlyMap<ReadyState, number> = new Map();
  /** Of a deleted run of this name all below is forgotten; 0: none was. */
  forgot = 0;

  /** Of those of these entries whose weights are known. */
  lagsOf(offsets: Iterable<number>): Map<number, number> {
    const lags = new Map<number, number>();
    for (const offset of offsets) {
      const entry = this.order.get(offset);
      const lag = entry === undefined ? null : this.lag(entry);
      if (lag !== null) lags.set(offset, lag);
    }
    return lags;
  }

  /** Why it is too old to be leased; null: it is not. Unknown is never fresh, unless the policy says so. */
  staleness(entry: ReadyEntry, rule: TakeRule): 'max_lag' | 'unknown_weights' | null {
    if (rule.atTake === 'keep') return null;
    const { oldest, isKnown } = this.sampledBy(entry);
    if (!isKnown && rule.expiresUnknown) return 'unknown_weights';
    return rule.maxLag !== null && (this.newest()?.ordinal ?? 0) - oldest > rule.maxLag ? 'max_lag' : null;
  }

  fact(offset: number): Fact {
    return this.facts.get(offset)?.fact ?? NEVER;
  }

  isTrained(fact: Fact, upTo = Number.POSITIVE_INFINITY): boolean {
    return fact.state === 'trained' && fact.step <= upTo && this.survives(fact.lineage, fact.step);
  }

  /** What an entry is now; what came back is queued at its own place, which is the head, or a newer version has replaced it. */
  stateOf(entry: ReadyEntry, nowMs: number): ReadyState {
    const unit = this.versions.of(entry.unit);
    if (unit === undefined) return this.ownState(entry, nowMs);
    return this.judge(unit, nowMs).get(entry.offset)?.state ?? this.ownState(entry, nowMs);
  }

  /** Of a unit that has several versions. */
  judge(unit: readonly ReadyEntry[], nowMs: number): ReadonlyMap<number, Judged> {
    return judgeVersions(unit, {
      state: (entry) => this.ownState(entry, nowMs),
      isTrainedForGood: ({ offset }) => this.isTrained(this.fact(offset), this.oldestStep()),
      isUnseen: ({ offset }) => this.unseen.has(offset),
      isTrainedBefore: ({ offset }) => this.trainedBefore.has(offset),
      isByRollout: this.unit === 'rollout',
    });
  }

  /** All that its version has is there: of what was decided live that is for its unit to say. */
  isOfWholeVersion(entry: ReadyEntry): boolean {
    const unit = this.versions.of(entry.unit);
    return unit === undefined || this.judge(unit, 0).get(entry.offset)?.isWhole === true;
  }

  /** Versions aside. */
  ownState(entry: ReadyEntry, nowMs: number): ReadyState {
    const fact = this.fact(entry.offset);
    if (isTerminal(fact.state) || this.isTrained(fact)) return fact.state;
    if (this.isDiscarded(entry)) return 'trainer_rejected';
    if (fact.state !== 'leased' || fact.lineage !== this.lineage) return 'queued';
    return nowMs < (this.leases.get(fact.lease)?.grant?.deadline ?? 0) ? 'leased' : 'queued';
  }

  /**
   * A LEASE IS GOOD UNTIL ONE OF ITS ENTRIES HAS A LATER FACT; a deadline that has passed does not end it. 1 Lease 1 runs out; 2
   * lease 2 gets its entry; 3 the slow trainer's ack of lease 1 passes: trained twice. Nor once it has run out and a newer version has
   * replaced one of them: nobody may hear that an ack of it counts when the newer one may be granted.
   */
  holds(lease: string): boolean {
    const grant = this.leases.get(lease)?.grant ?? null;
    if (grant === null || grant.lineage !== this.lineage) return false;
    for (const [offset, fact] of grant.facts)
      if (!isSame(this.fact(offset), fact) || this.owed.has(offset)) return false;
    return true;
  }

  /**
   * GRANTS COUNT, NOT DEADLINES. 1 A poison entry kills the trainer; 2 its restart rewinds, or its client releases on error, before
   * the deadline; 3 nothing was counted, and it comes for ever.
   */
  deliveries(offset: number): number {
    const { state, count } = this.fact(offset);
    return state === 'leased' || state === 'queued' ? count : 0;
  }

  isFinal(offset: number): boolean {
    return offset < this.low || (offset < this.finalEnd() && isInRanges(this.final, offset));
  }

  /** Offset: nothing is final from there on. */
  finalEnd(): number {
    return Math.max(this.low, this.final.at(-1)?.[1] ?? 0);
  }

  /** Oldest step that can be restored: what was trained up to it is final. */
  oldestStep(): number {
    return Math.max(this.floor, this.seals[0]?.step ?? 0);
  }

  /** Nothing can bring it back. */
  becomesFinal(entry: ReadyEntry): boolean {
    return this.isTrained(this.fact(entry.offset), this.oldestStep()) || isTerminal(this.stateOf(entry, 0));
  }

  /**
   * What a checkpoint holds and no ack has told of: the facts to write. `reason`: another lease trained one of them, so that the
   * checkpoint has it twice and is of no use.
   * ALL OF A LEASE OR NONE. 1 A seal names one of the two entries of a lease; 2 its ack is answered ok, since the lease was
   * trained; 3 the other is delivered again.
   */
  vouch(
    tokens: BatchTokens,
    reason: DeliveryRefusal,
    isGood: (lease: string, offset: number, fact: Fact) => boolean,
  ): Facts | Refused {
    const facts = new Map<number, Fact>();
    for (const [lease, { step, offsets }] of tokens) {
      const named = new Set(offsets);
      for (const [offset] of this.leases.get(lease)?.grant?.facts ?? []) {
        const fact = this.fact(offset);
        if (!named.has(offset) && !(fact.lease === lease && this.isTrained(fact, step))) return refused(reason, lease);
      }
      for (const offset of offsets) {
        const fact = this.fact(offset);
        // It was acked after all.
        if (fact.lease === lease && this.isTrained(fact, step)) continue;
        const isKnown = !this.isFinal(offset) && this.order.get(offset) !== undefined;
        if (!isKnown || facts.has(offset) || !isGood(lease, offset, fact)) return refused(reason);
        facts.set(offset, { state: 'trained', lineage: this.lineage, step, lease, count: 0 });
      }
    }
    return facts;
  }

  /**
   * A CHECKPOINT IS NAMED BY LINEAGE AND STEP: the facts to write when it is restored, or why it cannot be. By its step alone: 1 the
   * lineage that was left had a step 1240 too; 2 its file is restored with the books of the other.
   * TOKENS VOUCH FOR WHAT WAS NEVER SEALED. Sealed ones only: 1 a crash between save and seal; 2 the newest file is refused, or its
   * last batch comes again.
   */
  restorable(of: CheckpointName, tokens: BatchTokens | null): Facts | Refused {
    if (of.step < this.oldestStep()) return refused('forgotten');
    if (of.lineage > this.lineage || !this.survives(of.lineage, of.step)) return refused('checkpoint_discarded');
    if (this.seals.some(({ lineage, step }) => lineage === of.lineage && step === of.step)) return new Map();
    if (tokens === null) return refused('never_sealed');
    const isGood = (_: string, offset: number, fact: Fact): boolean =>
      !isTerminal(fact.state) && !this.isTrained(fact, of.step) && !this.owed.has(offset);
    return this.vouch(tokens, 'trained_twice', isGood);
  }

  head(): RunHead {
    const { unit, lineage, request, forked, inheritedCount, cuts, seals, floor, inherited, low, final, counts } = this;
    const last = new Map(this.last);
    const ever = this.forgot > 0 ? { forgot: this.forgot } : {};
    const more = { floor, last, inherited, low, final, counts, ...ever };
    return { unit, lineage, request, forked, inheritedCount, cuts, seals, ...more };
  }
}

export function isSame(a: Fact, b: Fact): boolean {
  return (
    a === b ||
    (a.state === b.state && a.lease === b.lease && a.lineage === b.lineage && a.step === b.step && a.count === b.count)
  );
}
