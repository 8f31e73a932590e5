import type { Decision, LeaseRecord, ReadyEntry, RunHead } from '../model/delivery.ts';
import type { DispatcherSettings, DispatcherWorld, LoggedRecord, Task } from '../model/delivery-effects.ts';
import { Fenced } from './fenced.ts';
import { finalBeside } from './final-ranges.ts';
import { floorDue } from './floor-due.ts';
import { lookBack } from './look-back.ts';
import { membersOf } from './ready-order.ts';
import type { OnApplied } from './requests.ts';
import { settle } from './settle.ts';
import { State } from './state.ts';

/** Records of a run between two folds, at least: a fold looks at all of its entries. */
const FOLD_EVERY = 256;

/** One that owns ready.leases by claim, indexes what is ready, and drops what is spent. A method that yields awaits there. */
export class LogOwner {
  state: State;
  claim = 0;
  seq = 0;
  /** Offset of ready: all below was read. */
  position = 0;
  /** From where the tail of ready is read after takeOver. */
  readFrom = 0;
  /** Each record that counts, once it is applied: its own, and what takeOver read (entries of the tail are not known yet). */
  onApplied: OnApplied = () => undefined;

  constructor(
    readonly settings: DispatcherSettings,
    readonly world: DispatcherWorld,
  ) {
    this.state = this.emptyState();
  }

  emptyState(): State {
    const onApplied: OnApplied = (record, entryOf) => this.onApplied(record, entryOf);
    return new State((run) => this.world.announced(run), this.settings.keptCheckpoints, onApplied);
  }

  /** It acts only within a session of the last heartbeat that it sent and that was answered. */
  confirm(): void {
    if (!this.world.isHeld()) throw new Fenced();
  }

  /** AFTER THE WRITE, TOO: what is answered lies before the next claim. */
  confirmWritten(): void {
    this.confirm();
  }

  /**
   * A KEY IS WRITTEN ONCE. By lease: 1 a lease is acked; 2 a void grant of it lands late; 3 compaction, which knows no claims, keeps
   * that instead of the ack. Without owner: 1 two claim the same number; 2 the void claim is dropped, and the one in force with it.
   */
  key({ claim, by, seq }: LeaseRecord): string {
    return `${claim}.${by}.${seq}`;
  }

  /**
   * WRITTEN BEFORE THE ANSWER, and confirmed once more in between. 1 A lease is answered; 2 crash, it was never written; 3 the
   * successor grants its entries to another. After an unknown outcome it is written again under a new seq: the first, landing
   * late, is void.
   */
  *append(decision: Decision): Task<LoggedRecord> {
    const at = this.world.nowMs();
    for (;;) {
      this.confirm();
      this.seq += 1;
      const record: LeaseRecord = { ...decision, claim: this.claim, by: this.settings.name, seq: this.seq, at };
      const key = this.key(record);
      const { landed } = yield { kind: 'write', record, key };
      this.confirmWritten();
      if (landed === true) return { key, record };
    }
  }

  /** Gives its key. */
  *write(decision: Decision): Task<string> {
    const { key, record } = yield* this.append(decision);
    this.state.apply(key, record);
    return key;
  }

  /** How long the predecessor may still answer, ms. */
  waits(): number {
    return this.world.sessionMs;
  }

  /**
   * Wait a session, while the predecessor may still answer ▸ claim ▸ read ▸ is the claim in force mine?
   * VOID RECORDS GO BEFORE OLDER CLAIMS. 1 Claim 2 follows claim 1; 2 claim 1 is dropped first; 3 a late record of claim 1, read
   * before claim 2 by the next, counts again.
   */
  *takeOver(): Task<void> {
    const readyMs = this.world.assignedAtMs + this.waits();
    while (this.world.nowMs() < readyMs) yield { kind: 'wait', untilMs: readyMs };
    while (this.state.owner !== this.settings.name) {
      const before = (yield { kind: 'read_log' }).log ?? [];
      this.claim = before.reduce((most, { record }) => Math.max(most, record.claim), 0) + 1;
      this.seq = 0;
      yield* this.append({ kind: 'claim', url: this.settings.url });
      const { log = [] } = yield { kind: 'read_log' };
      const inForce = this.emptyState();
      for (const { record } of log) inForce.admit(record);
      if (inForce.owner !== this.settings.name) continue;
      this.state = this.emptyState();
      for (const { key, record } of log) this.state.apply(key, record);
    }
    yield* this.drop(this.state.void, true);
    yield* this.drop(this.state.replaced(), false);
    this.readFrom = this.state.indexed;
    this.position = this.state.indexed;
  }

  *drop(keys: readonly string[], awaited: boolean): Task<void> {
    if (keys.length > 0) yield { kind: 'drop', keys, awaited };
  }

  /** What was read of ready, in order, up to `position`. */
  arrived(entries: readonly ReadyEntry[], position: number): void {
    for (const entry of entries) if (entry.offset >= this.position) this.state.run(entry.run).comes(entry);
    this.position = Math.max(this.position, position);
  }

  /**
   * THE ENTRIES OF EACH RUN THAT ARE NOT FINAL, IN CHUNKS; they are a function of ready, so that writing one twice does no harm.
   * Else: 1 the trainer of a run is away for days; 2 each takeover reads ready from the run's oldest entry on: days of everybody's.
   */
  *index(): Task<void> {
    const { chunkEntries } = this.settings;
    for (const run of this.state.runs.values()) {
      if (run.versions.isEmpty) continue;
      run.refresh(this.world.nowMs());
      yield* lookBack(this, run);
      yield* settle(this, run);
    }
    for (let from = this.state.indexed; this.position >= from + chunkEntries; from = this.state.indexed) {
      const to = from + chunkEntries;
      for (const [name, run] of this.state.runs) {
        const entries = run.order.between(from, to).filter((entry) => entry.run === name);
        if (entries.some(({ offset }) => offset >= run.namedBelow))
          yield* this.write({ kind: 'chunk', run: name, entries, piece: null, facts: new Map() });
      }
      yield* this.write({ kind: 'indexed', offset: to });
      yield* this.drop(this.state.replaced(), false);
    }
  }

  /** Writes what has become replaced: rows are made of it before the run is folded. */
  *settleRun(name: string): Task<void> {
    const run = this.state.runs.get(name);
    if (run !== undefined) yield* settle(this, run);
  }

  /** Runs whose spent records are worth folding now. */
  foldable(): readonly string[] {
    return [...this.state.runs].flatMap(([name, { sinceFold, keptRecords, order, facts }]) =>
      sinceFold >= Math.max(FOLD_EVERY, keptRecords, (order.entries.length + facts.size) / FOLD_EVERY) ? [name] : [],
    );
  }

  /**
   * STATE IS BOUNDED BY WHAT IS NOT FINAL: final entries become ranges and counts in `head`; then, HEAD FIRST, the records that have
   * the last word on nothing go. Other way round: 1 the grant of a lease that is lost goes; 2 crash, and its batch index is
   * forgotten with it; 3 a rank that asks for it again gets another batch than the ranks before.
   * BY RUN. One watermark for all: a run that is away pins the others.
   * BY WHOLE UNIT. 1 A member expires alone, and is forgotten; 2 takeover; 3 its group is one short, and never comes.
   */
  *fold(name: string): Task<void> {
    const run = this.state.run(name);
    run.refresh(this.world.nowMs());
    yield* settle(this, run);
    const step = floorDue(run, this.settings.unsealedTrajectories);
    if (step !== null)
      yield* this.write({
        kind: 'seal',
        run: name,
        facts: new Map(),
        lineage: run.lineage,
        step,
        lags: new Map(),
        isFloor: true,
      });
    run.refresh(this.world.nowMs());
    yield* settle(this, run);
    const counts = new Map(run.counts);
    const gone = new Set<number>();
    for (const unit of run.finalUnits())
      for (const { offset } of membersOf(unit)) {
        gone.add(offset);
        counts.set(run.state(offset), (counts.get(run.state(offset)) ?? 0) + 1);
      }
    const { low, final } = finalBeside(run, gone, this.position);
    const mine = yield* this.write({ kind: 'head', run: name, head: { ...run.head(), low, final, counts } });
    const spent = run.spent(mine);
    yield* this.drop(spent, false);
    run.dropRecords(spent);
  }

  isForgotten(name: string, below: number): boolean {
    return (this.state.runs.get(name)?.forgot ?? below) >= below;
  }

  /**
   * A run that was deleted is as if it had never been, below an offset that was read: one record of it stays, which says so, since
   * ready is read again by whoever takes over. A run that takes its name begins there. HEAD FIRST, as in a fold.
   */
  *forget(name: string, below: number): Task<void> {
    const run = this.state.runs.get(name);
    if (run === undefined || this.isForgotten(name, below)) return;
    const mine = yield* this.write({ kind: 'head', run: name, head: { ...NEW_HEAD, low: below, forgot: below } });
    run.order.restart('group');
    const spent = run.spent(mine);
    yield* this.drop(spent, false);
    run.dropRecords(spent);
  }
}

const NEW_HEAD: RunHead = {
  ...{ unit: null, lineage: 0, request: null, forked: null, inheritedCount: 0, floor: 0, low: 0 },
  ...{ cuts: new Map(), seals: [{ lineage: 0, step: 0 }], last: new Map(), inherited: new Map() },
  ...{ final: [], counts: new Map() },
};
