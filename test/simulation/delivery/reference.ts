import type {
  CheckpointName,
  DeliveryUnit,
  Fact,
  Grant,
  LeaseRecord,
  ReadyEntry,
  ReadyState,
  RunHead,
} from '../../../processors/model/delivery.ts';
import type { Announced } from '../../../processors/model/delivery-effects.ts';

/**
 * The rules of delivery once more, as plainly as they can be said: nothing is kept that can be computed, nothing is forgotten.
 * Shares no code with what it judges.
 */
const TERMINAL: ReadonlySet<ReadyState> = new Set(['expired', 'undeliverable', 'trainer_rejected', 'replaced']);
const NEVER: Fact = { state: 'queued', lineage: 0, step: 0, lease: '', count: 0 };

export class PlainRun {
  readonly entries = new Map<number, ReadyEntry>();
  readonly #byUnit = new Map<string, ReadyEntry[]>();
  readonly facts = new Map<number, Fact>();
  readonly leases = new Map<string, Grant>();
  unit: DeliveryUnit | null = null;
  lineage = 0;
  forked: string | null = null;
  cuts: Array<readonly [lineage: number, step: number]> = [];
  seals: CheckpointName[] = [{ lineage: 0, step: 0 }];
  floor = 0;
  last = new Map<string, readonly [number, number]>();
  inherited: RunHead['inherited'] = new Map();
  /** Of what was final when it was forked. */
  counts = new Map<ReadyState, number>();

  constructor(
    readonly announced: ReadonlyMap<string, Announced>,
    readonly keptCheckpoints: number,
  ) {}

  add(entry: ReadyEntry): void {
    if (this.entries.has(entry.offset)) return;
    this.entries.set(entry.offset, entry);
    this.#byUnit.set(entry.unit, [...(this.#byUnit.get(entry.unit) ?? []), entry]);
  }

  survives(lineage: number, step: number): boolean {
    return this.cuts.every(([later, cut]) => later <= lineage || step <= cut);
  }

  isDiscarded(entry: ReadyEntry): boolean {
    return entry.versions.some((name) => {
      const version = this.announced.get(name);
      return version !== undefined && !this.survives(version.lineage, version.step);
    });
  }

  isTrained(offset: number): boolean {
    const fact = this.fact(offset);
    return fact.state === 'trained' && this.survives(fact.lineage, fact.step);
  }

  fact(offset: number): Fact {
    return this.facts.get(offset) ?? NEVER;
  }

  /** As one knows who has read what lies below `read`. */
  state(offset: number, now: number, read = Number.POSITIVE_INFINITY): ReadyState {
    const own = this.ownState(offset, now);
    return own === 'queued' && this.whyReplaced(offset, read) !== null ? 'replaced' : own;
  }

  /** It may be taken now. */
  isFree(offset: number, now: number, read = Number.POSITIVE_INFINITY): boolean {
    if (this.state(offset, now, read) !== 'queued') return false;
    const entry = this.entries.get(offset);
    if (entry?.replay === undefined) return true;
    const others = entry.again === true ? [] : this.#rivals(entry, read);
    return (
      this.#membersOf(entry, read).length >= entry.size &&
      others.every((other) => this.ownState(other.offset, now) !== 'leased' && !this.isTrained(other.offset))
    );
  }

  /** Rule of the newest whole version, then of the one that is trained for good; null: neither. Of what is queued. */
  whyReplaced(offset: number, read: number): string | null {
    const entry = this.entries.get(offset);
    if (entry === undefined) return null;
    let newest: ReadyEntry | null = null;
    for (const other of this.#versions(entry, read)) {
      const isWhole = other.replay !== undefined && this.#membersOf(other, read).length >= other.size;
      const isInItsPlace = isOfGroup(other) || other.rollout === entry.rollout;
      if (!isWhole || !isInItsPlace || !this.#isOlder(entry, other, read)) continue;
      if (newest === null || this.#isOlder(newest, other, read)) newest = other;
    }
    if (newest !== null) return `replaced by replay ${newest.replay}`;
    if (entry.replay === undefined || entry.again === true) return null;
    const oldest = Math.max(this.floor, this.seals[0]?.step ?? 0);
    const isForGood = (at: number): boolean => this.isTrained(at) && this.fact(at).step <= oldest;
    return this.#rivals(entry, read).some((other) => isForGood(other.offset)) ? 'already_trained' : null;
  }

  /** Older ones, beside which it may not be trained. */
  #rivals(entry: ReadyEntry, read: number): ReadyEntry[] {
    const isOfAll = isOfGroup(entry) && this.unit !== 'rollout';
    return this.#versions(entry, read).filter(
      (other) => this.#isOlder(other, entry, read) && (isOfAll || other.rollout === entry.rollout),
    );
  }

  #versions(entry: ReadyEntry, read: number): ReadyEntry[] {
    const unit = this.#byUnit.get(entry.unit) ?? [];
    return unit.length === 1 ? [] : unit.filter((other) => other.offset < read && !isOneVersion(entry, other));
  }

  #membersOf(entry: ReadyEntry, read: number): ReadyEntry[] {
    return (this.#byUnit.get(entry.unit) ?? []).filter((other) => other.offset < read && isOneVersion(entry, other));
  }

  /** What was decided live comes before all; of two replays the one that came first. */
  #isOlder(a: ReadyEntry, b: ReadyEntry, read: number): boolean {
    if (a.replay === undefined || b.replay === undefined) return a.replay === undefined && b.replay !== undefined;
    const first = (of: ReadyEntry): number => Math.min(...this.#membersOf(of, read).map(({ offset }) => offset));
    return first(a) < first(b);
  }

  /** Versions aside. */
  ownState(offset: number, now: number): ReadyState {
    const fact = this.fact(offset);
    const entry = this.entries.get(offset);
    if (TERMINAL.has(fact.state) || this.isTrained(offset)) return fact.state;
    if (entry !== undefined && this.isDiscarded(entry)) return 'trainer_rejected';
    const deadline = this.leases.get(fact.lease)?.deadline ?? 0;
    return fact.state === 'leased' && fact.lineage === this.lineage && now < deadline ? 'leased' : 'queued';
  }

  /** States of the entries below `read`, and of what was final. */
  accounting(now: number, read = Number.POSITIVE_INFINITY): Record<ReadyState, number> {
    const sum = { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 };
    for (const [state, count] of this.counts) sum[state] += count;
    for (const offset of this.entries.keys()) if (offset < read) sum[this.state(offset, now, read)] += 1;
    return sum;
  }

  units(unit: DeliveryUnit | null = this.unit): ReadyEntry[][] {
    const units = new Map<string | number, ReadyEntry[]>();
    for (const entry of [...this.entries.values()].sort((a, b) => a.offset - b.offset)) {
      const name = unit === 'rollout' || entry.size === 1 ? entry.offset : entry.group;
      units.set(name, [...(units.get(name) ?? []), entry]);
    }
    const whole = [...units.values()].filter((members) => unit === 'rollout' || members.length === members[0]?.size);
    return whole.sort((a, b) => (a.at(-1)?.offset ?? 0) - (b.at(-1)?.offset ?? 0));
  }

  isFinal(offset: number): boolean {
    const fact = this.fact(offset);
    const oldest = Math.max(this.floor, this.seals[0]?.step ?? 0);
    return (this.isTrained(offset) && fact.step <= oldest) || TERMINAL.has(this.state(offset, 0));
  }

  apply(r: LeaseRecord): void {
    if (r.kind === 'fork') {
      const { lineage, forked, cuts, seals, inherited, counts, unit } = r.head;
      Object.assign(this, {
        lineage,
        forked,
        inherited,
        unit,
        cuts: [...cuts],
        seals: [...seals],
        counts: new Map(counts),
      });
      for (const entry of r.entries) this.add(entry);
    }
    if (r.kind === 'grant') {
      this.leases.set(r.lease, r);
      this.unit = r.unit;
    }
    for (const key of r.kind === 'grant' ? [r.key] : r.kind === 'wait' ? r.keys : []) {
      const [name, index, attempt] = key;
      const [before, tried] = this.last.get(name) ?? [-1, -1];
      if (index > before || (index === before && attempt > tried)) this.last.set(name, [index, attempt]);
    }
    if (r.kind === 'rewind') {
      this.lineage = r.lineage;
      this.last = new Map();
      this.cuts.push([r.lineage, r.step]);
      this.seals = this.seals.filter(({ lineage, step }) => this.survives(lineage, step));
    }
    if (r.kind === 'seal' && r.isFloor) {
      this.floor = Math.max(this.floor, r.step);
      this.seals = this.seals.filter(({ step }) => step >= this.floor);
    } else if (r.kind === 'seal' || r.kind === 'rewind') {
      const sealed = { lineage: r.kind === 'seal' ? r.lineage : r.of, step: r.step };
      this.seals = this.seals.filter(({ lineage, step }) => lineage !== sealed.lineage || step !== sealed.step);
      this.seals = [...this.seals, sealed].sort((a, b) => a.step - b.step).slice(-this.keptCheckpoints);
    }
    if ('facts' in r) for (const [offset, fact] of r.facts) this.facts.set(offset, fact);
  }
}

/** It goes with its whole group, be it a group of one; else its rollout alone. */
function isOfGroup({ group, rollout }: ReadyEntry): boolean {
  return !group.endsWith(`\u0000${rollout}`);
}

function isOneVersion(a: ReadyEntry, b: ReadyEntry): boolean {
  return a.replay === b.replay && (a.replay === undefined || a.group === b.group);
}

/** Which records count, as one knows who reads each as it lands and forgets nothing. */
export class PlainLog {
  readonly runs = new Map<string, PlainRun>();
  readonly #pieces = new Map<string, LeaseRecord[]>();
  #claim = 0;
  #owner = '';
  #seq = 0;

  constructor(
    readonly announced: (run: string) => ReadonlyMap<string, Announced>,
    readonly keptCheckpoints: number,
  ) {}

  run(name: string): PlainRun {
    const run = this.runs.get(name) ?? new PlainRun(this.announced(name), this.keptCheckpoints);
    this.runs.set(name, run);
    return run;
  }

  counts(r: LeaseRecord): boolean {
    const isNext = r.claim === this.#claim && r.by === this.#owner && r.seq > this.#seq;
    if (!isNext && r.claim <= this.#claim) return false;
    [this.#claim, this.#owner, this.#seq] = [r.claim, r.by, r.seq];
    return true;
  }

  /** Heads and chunks say nothing new, but for chunks of a fork. */
  apply(r: LeaseRecord): void {
    if (r.kind === 'claim' || r.kind === 'indexed' || r.kind === 'head') return;
    if (r.kind === 'chunk') {
      if (r.piece !== null) this.#pieces.set(r.piece, [...(this.#pieces.get(r.piece) ?? []), r]);
      return;
    }
    const run = this.run(r.run);
    run.apply(r);
    for (const part of r.kind === 'fork' && r.piece !== null ? (this.#pieces.get(r.piece) ?? []) : [])
      if (part.kind === 'chunk') {
        for (const entry of part.entries) run.add(entry);
        for (const [offset, fact] of part.facts) run.facts.set(offset, fact);
      }
  }
}
