import { type Grant, noReadyStates, READY_STATES, type ReadyEntry, type ReadyState } from '../model/delivery.ts';
import { Heap } from './heap.ts';
import type { Judged } from './judge-versions.ts';
import { type KnownLease, RunBooks } from './run-books.ts';

/**
 * The books of a run with what is asked often kept at hand: the state of each entry, how many there are of each, the candidates of
 * the next lease. It is computed anew where a record may change all of it, and entry by entry else; `broken` compares.
 */
export class RunStates extends RunBooks {
  /** Of live entries. */
  readonly live = noReadyStates();
  /** ms: states are as of then. */
  nowMs = 0;
  /** States of live entries that are not queued. */
  readonly standing = new Map<number, ReadyState>();
  /** Queued versions that wait: for the rest of them, or because another one is leased or trained. */
  readonly blocked = new Set<number>();
  #newest: ReturnType<RunBooks['newest']> = null;
  protected isDirty = true;
  /** -1: to be looked at again. */
  #versionsSeen = -1;
  #condemned = 0;
  protected readonly deadlines = new Heap<{ readonly lease: string; readonly deadline: number }>(
    (a, b) => a.deadline < b.deadline,
  );
  protected readonly grants = new Map<string, Grant>();

  /** Brings the states up to now: of leases that ran out, of versions that are no more. */
  refresh(nowMs: number): void {
    this.nowMs = Math.max(nowMs, this.nowMs);
    this.#lookAtVersions();
    if (this.isDirty) this.#recompute();
    for (
      let due = this.deadlines.peek();
      due !== undefined && due.deadline <= this.nowMs;
      due = this.deadlines.peek()
    ) {
      this.deadlines.pop();
      for (const offset of this.leases.get(due.lease)?.offsets ?? []) this.restate(offset);
    }
  }

  /** Kept: a lease asks it of each entry. */
  override newest(): ReturnType<RunBooks['newest']> {
    this.#lookAtVersions();
    return this.#newest;
  }

  state(offset: number): ReadyState {
    return this.standing.get(offset) ?? 'queued';
  }

  /** Queued, and nothing keeps it from being taken. */
  isFree(offset: number): boolean {
    return !this.standing.has(offset) && !this.blocked.has(offset);
  }

  /** ready = queued + leased + trained + expired + undeliverable + trainer_rejected + replaced. */
  states(): Record<ReadyState, number> {
    const states = { ...this.live };
    for (const [state, count] of this.counts) states[state] += count;
    return states;
  }

  /**
   * What admission counts as accepted, READ OFF THE SURVIVING STATE, never kept as a counter. 1 40 steps are rewound; 2 the counter
   * still has them; 3 nothing may start. Or it starts again at 0, and a burst does. Of two versions one counts.
   */
  accepted(): number {
    const { trained, leased, queued } = this.states();
    return trained + leased + queued - this.blocked.size;
  }

  /** The lease that answers this key in the lineage in force; null: none. */
  grantOf(key: Grant['key']): Grant | null {
    const grant = this.grants.get(JSON.stringify(key));
    return grant !== undefined && grant.lineage === this.lineage ? grant : null;
  }

  nextDeadlineMs(): number | null {
    return this.deadlines.peek()?.deadline ?? null;
  }

  arrive(entry: ReadyEntry): void {
    if (this.isFinal(entry.offset) || !this.order.add(entry)) return;
    this.versions.add(entry, this.order.entries);
    if (this.isDirty) return;
    this.live.queued += 1;
    this.restate(entry.offset);
  }

  /** It is read of ready. What was final before a version came, and is forgotten, must be asked for. */
  comes(entry: ReadyEntry): void {
    if (entry.replay !== undefined && entry.again !== true && !this.isFinal(entry.offset))
      this.unseen.add(entry.offset);
    this.arrive(entry);
  }

  /** These were looked up. */
  seen(offsets: readonly number[]): void {
    for (const offset of offsets) this.unseen.delete(offset);
    for (const offset of offsets) this.restate(offset);
  }

  protected known(lease: string): KnownLease {
    const known = this.leases.get(lease) ?? { grant: null, offsets: new Set() };
    this.leases.set(lease, known);
    return known;
  }

  #lookAtVersions(): void {
    const announced = this.announced();
    if (announced.size === this.#versionsSeen) return;
    this.#versionsSeen = announced.size;
    this.#newest = super.newest();
    let condemned = 0;
    for (const { lineage, step } of announced.values()) if (!this.survives(lineage, step)) condemned += 1;
    if (condemned !== this.#condemned) this.isDirty = true;
    this.#condemned = condemned;
  }

  protected mustRecompute(): void {
    this.isDirty = true;
    this.#versionsSeen = -1;
  }

  #recompute(): void {
    this.isDirty = false;
    this.standing.clear();
    this.blocked.clear();
    this.owed.clear();
    Object.assign(this.live, noReadyStates());
    for (const entry of this.order.entries) {
      const state = this.ownState(entry, this.nowMs);
      this.live[state] += 1;
      if (state !== 'queued') this.standing.set(entry.offset, state);
    }
    this.order.restart(this.unit ?? this.order.unit);
    this.forgetLeases();
    this.restateVersions();
  }

  /** What one version is depends on the others. */
  protected restateVersions(): void {
    if (!this.isDirty) for (const unit of this.versions.units()) this.#restateUnit(unit);
  }

  #restateUnit(unit: readonly ReadyEntry[]): void {
    const judged = this.judge(unit, this.nowMs);
    for (const entry of unit) {
      const now = judged.get(entry.offset);
      if (now !== undefined) this.#stand(entry, now);
    }
  }

  /** Computes the state of an entry again. */
  protected restate(offset: number): void {
    const entry = this.isDirty ? undefined : this.order.get(offset);
    if (entry === undefined) return;
    const versions = this.versions.of(entry.unit);
    if (versions !== undefined) this.#restateUnit(versions);
    else this.#stand(entry, { state: this.ownState(entry, this.nowMs), isBlocked: false, reason: '' });
  }

  #stand(entry: ReadyEntry, { state, isBlocked, reason }: Omit<Judged, 'isWhole'>): void {
    const { offset } = entry;
    const before = this.state(offset);
    const wasFree = this.isFree(offset);
    if (state !== before) {
      this.live[before] -= 1;
      this.live[state] += 1;
      if (state === 'queued') this.standing.delete(offset);
      else this.standing.set(offset, state);
    }
    if (isBlocked) this.blocked.add(offset);
    else this.blocked.delete(offset);
    if (reason === '' || this.fact(offset).state === state) this.owed.delete(offset);
    else this.owed.set(offset, reason);
    if (wasFree || !this.isFree(offset)) return;
    const unit = this.order.unitOf(entry);
    if (unit !== null) this.order.giveBack(unit);
  }

  /** It is in the books no more. */
  protected forgetState(offset: number): void {
    if (!this.isDirty) this.live[this.state(offset)] -= 1;
    for (const kept of [this.standing, this.blocked, this.owed, this.unseen, this.trainedBefore]) kept.delete(offset);
  }

  /** Leases that no fact names go, and grants of which nothing is held. */
  protected forgetLeases(): void {
    this.deadlines.clear();
    this.grants.clear();
    for (const [lease, known] of this.leases) {
      for (const offset of known.offsets) if (this.fact(offset).lease !== lease) known.offsets.delete(offset);
      if (!this.isWorthKeeping(known)) known.grant = null;
      if (known.offsets.size === 0) this.leases.delete(lease);
      else if (known.grant !== null) {
        this.deadlines.push(known.grant);
        this.grants.set(JSON.stringify(known.grant.key), known.grant);
      }
    }
  }

  /** Whether anything of it is leased. */
  isWorthKeeping({ grant, offsets }: KnownLease): boolean {
    if (grant?.lineage !== this.lineage) return false;
    for (const offset of offsets) if (this.fact(offset).state === 'leased') return true;
    return false;
  }

  /** What is kept at hand and is not what the books say, in words; null: all is. After a refresh. */
  broken(): string | null {
    const counts = noReadyStates();
    for (const entry of this.order.entries) {
      const state = this.stateOf(entry, this.nowMs);
      const isBlocked =
        this.judge(this.versions.of(entry.unit) ?? [], this.nowMs).get(entry.offset)?.isBlocked ?? false;
      counts[state] += 1;
      if (this.isFinal(entry.offset)) return `@${entry.offset} is final, and live`;
      if (state !== this.state(entry.offset)) return `@${entry.offset} is ${state}, not ${this.state(entry.offset)}`;
      if (isBlocked !== this.blocked.has(entry.offset)) return `@${entry.offset} is blocked, or not`;
      const unit = this.order.unitOf(entry);
      if (this.isFree(entry.offset) && unit !== null && !this.order.isCandidate(unit))
        return `@${entry.offset} waits for ever`;
    }
    for (const state of READY_STATES)
      if (counts[state] !== this.live[state]) return `${counts[state]} are ${state}, not ${this.live[state]}`;
    for (const [lease, { grant }] of this.leases)
      if (
        grant !== null &&
        this.holds(lease) &&
        grant.deadline > this.nowMs &&
        (this.nextDeadlineMs() ?? Number.POSITIVE_INFINITY) > grant.deadline
      )
        return `nobody is woken when ${lease} runs out`;
    return null;
  }
}
