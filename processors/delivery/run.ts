import type { Facts, Grant, LeaseRecord, ReadyEntry, RunHead } from '../model/delivery.ts';
import { membersOf, type Unit } from './ready-order.ts';
import { isSame, isTerminal, type RecordUse, type Said } from './run-books.ts';
import { RunStates } from './run-states.ts';

/** A record that is about a run. */
export type RunRecord = Extract<LeaseRecord, { readonly run: string }>;

interface Staged {
  readonly piece: string;
  readonly parts: Array<{ readonly use: RecordUse; readonly entries: readonly ReadyEntry[]; readonly facts: Facts }>;
}

/** Takes in the records of ready.leases that are about a run. */
export class Run extends RunStates {
  /** Records of the log that are about the run, in its order. */
  readonly records = new Map<string, RecordUse>();
  /** Records since spent ones were dropped, and how many were left then. */
  sinceFold = 0;
  keptRecords = 0;
  /** Entries below are in a chunk, or in the fork that the run began with. */
  namedBelow = 0;
  /** Chunks of a fork whose own record has not come. */
  #staged: Staged | null = null;

  apply(key: string, record: RunRecord, kept: number): void {
    const use: RecordUse = { names: [], words: 0 };
    this.records.set(key, use);
    this.sinceFold += 1;
    switch (record.kind) {
      case 'head':
        this.#takeHead(record.head);
        break;
      case 'fork':
        this.#takeHead(record.head);
        this.#takeFork(record, use);
        break;
      case 'chunk':
        this.#takeChunk(record, use);
        return;
      case 'grant':
        this.#takeGrant(record);
        break;
      case 'wait':
        for (const key of record.keys) this.#turn(key);
        break;
      case 'rewind':
        this.#takeRewind(record);
        this.#seal(record.of, record.step, kept);
        break;
      case 'seal':
        if (record.isFloor) this.#raiseFloor(record.step);
        else this.#seal(record.lineage, record.step, kept);
        break;
      case 'fact':
        break;
    }
    if ('facts' in record) this.#say(record.facts, use);
    // More is trained for good.
    if (record.kind === 'seal') this.restateVersions();
    if (record.kind === 'head' || record.kind === 'fork') this.#forgetFinal();
  }

  /** Whole units of which nothing can come back. FINAL GOES BY WHOLE UNIT, of all its versions: see fold. */
  finalUnits(): Unit[] {
    const units: Unit[] = [];
    const settled = new Map<string, boolean>();
    for (const offset of this.standing.keys()) {
      const entry = this.order.get(offset);
      const unit = entry === undefined ? null : this.order.unitOf(entry);
      if (entry === undefined || unit === null || membersOf(unit).at(-1) !== entry) continue;
      const versions = this.versions.of(entry.unit);
      if (versions === undefined) {
        if (membersOf(unit).every((member) => this.becomesFinal(member))) units.push(unit);
        continue;
      }
      const isSettled = settled.get(entry.unit) ?? this.#isSettled(versions);
      settled.set(entry.unit, isSettled);
      if (isSettled) units.push(unit);
    }
    return units;
  }

  /** All versions of the unit are whole and final: one that is forgotten would no longer stand in the way of another. */
  #isSettled(versions: readonly ReadyEntry[]): boolean {
    const judged = this.judge(versions, 0);
    return versions.every((entry) => {
      const { isWhole = false, state = 'queued' } = judged.get(entry.offset) ?? {};
      const isFinal = isTerminal(state) || this.isTrained(this.fact(entry.offset), this.oldestStep());
      return isWhole && isFinal && this.order.unitOf(entry) !== null;
    });
  }

  /** Keys of records that have the last word on nothing, but for `head`. */
  spent(head: string): string[] {
    const isSpent = ({ names, words }: RecordUse): boolean => words === 0 && names.every((one) => this.isFinal(one));
    return [...this.records].flatMap(([key, use]) => (key !== head && isSpent(use) ? [key] : []));
  }

  dropRecords(keys: readonly string[]): void {
    for (const key of keys) this.records.delete(key);
    this.sinceFold = 0;
    this.keptRecords = this.records.size;
    this.forgetLeases();
  }

  #takeHead(head: RunHead): void {
    const isNew = head.lineage !== this.lineage || head.unit !== this.unit || head.forked !== this.forked;
    const { last, ...scalars } = head;
    Object.assign(this, scalars);
    this.last.clear();
    for (const [name, turn] of last) this.last.set(name, turn);
    if (isNew) this.mustRecompute();
  }

  #takeFork({ entries, piece }: Extract<RunRecord, { kind: 'fork' }>, use: RecordUse): void {
    this.mustRecompute();
    this.#name(entries, use);
    for (const part of this.#staged?.piece === piece ? (this.#staged?.parts ?? []) : []) {
      this.#name(part.entries, part.use);
      this.#say(part.facts, part.use);
      // Without this record its pieces would say nothing.
      for (const offset of part.use.names) use.names.push(offset);
    }
    this.#staged = null;
  }

  #takeChunk({ entries, piece, facts }: Extract<RunRecord, { kind: 'chunk' }>, use: RecordUse): void {
    if (piece === null) {
      this.#name(entries, use);
      return;
    }
    if (this.#staged?.piece !== piece) this.#staged = { piece, parts: [] };
    this.#staged.parts.push({ use, entries, facts });
  }

  #name(entries: readonly ReadyEntry[], use: RecordUse): void {
    for (const entry of entries) {
      if (this.isFinal(entry.offset)) continue;
      this.arrive(entry);
      if (entry.offset >= this.namedBelow) use.names.push(entry.offset);
    }
    this.namedBelow = Math.max(this.namedBelow, (entries.at(-1)?.offset ?? -1) + 1);
  }

  #takeGrant(grant: Grant): void {
    if (this.unit !== grant.unit) {
      this.unit = grant.unit;
      if (this.order.unit !== grant.unit) this.order.restart(grant.unit);
    }
    this.known(grant.lease).grant = grant;
    this.grants.set(JSON.stringify(grant.key), grant);
    this.#turn(grant.key);
    this.deadlines.push(grant);
  }

  #turn([name, ...turn]: Grant['key']): void {
    const last = this.last.get(name);
    if (last === undefined || !isTurnUpTo(turn, last)) this.last.set(name, turn);
  }

  #takeRewind({ lineage, step, request }: Extract<RunRecord, { kind: 'rewind' }>): void {
    this.lineage = lineage;
    this.request = request;
    this.last.clear();
    // A cut that was made before, at this step or above, says nothing more.
    this.cuts = new Map([...[...this.cuts].filter(([, cut]) => cut < step), [lineage, step]]);
    this.seals = this.seals.filter((seal) => this.survives(seal.lineage, seal.step));
    this.mustRecompute();
  }

  /**
   * THE NEWEST BY STEP ARE KEPT, in whichever order they were sealed. 1 Step 20 is sealed before 15, and is the oldest that is kept:
   * what was trained up to it is final; 2 20 is forgotten, 15 restored; 3 steps 16 to 20 do not come again.
   */
  #seal(lineage: number, step: number, kept: number): void {
    const others = this.seals.filter((seal) => seal.lineage !== lineage || seal.step !== step);
    this.seals = [...others, { lineage, step }].sort((a, b) => a.step - b.step).slice(-kept);
  }

  #raiseFloor(step: number): void {
    this.floor = Math.max(this.floor, step);
    this.seals = this.seals.filter((seal) => seal.step >= this.floor);
  }

  #say(facts: Facts, by: RecordUse): void {
    let said: Said | null = null;
    for (const [offset, fact] of facts) {
      if (this.isFinal(offset)) continue;
      const before = this.facts.get(offset);
      if (before !== undefined) before.by.words -= 1;
      by.words += 1;
      if (said === null || !isSame(said.fact, fact)) said = { fact, by };
      this.facts.set(offset, said);
      if (fact.lease !== '') this.known(fact.lease).offsets.add(offset);
      this.restate(offset);
    }
  }

  #forgetFinal(): void {
    const forget = (offset: number): void => {
      const said = this.facts.get(offset);
      if (said !== undefined) said.by.words -= 1;
      this.facts.delete(offset);
    };
    // While a log is read, facts may come before their entries.
    if (this.isDirty) for (const offset of this.facts.keys()) if (this.isFinal(offset)) forget(offset);
    const gone = this.order.remove((entry) => this.isFinal(entry.offset), this.finalEnd());
    for (const { offset } of gone) {
      forget(offset);
      this.forgetState(offset);
    }
    this.versions.remove(gone);
  }
}

export function isTurnUpTo(turn: readonly [number, number], last: readonly [number, number]): boolean {
  return turn[0] < last[0] || (turn[0] === last[0] && turn[1] <= last[1]);
}
