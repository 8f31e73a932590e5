import type { Fact, ReadyEntry, RunHead } from '../model/delivery.ts';
import type { Task } from '../model/delivery-effects.ts';
import { LogOwner } from './log-owner.ts';
import { membersOf } from './ready-order.ts';
import { type ForkRequest, type Refused, type RewindRequest, refused, type SealRequest } from './requests.ts';
import type { Run } from './run.ts';
import { isTerminal } from './run-books.ts';
import { settle } from './settle.ts';

/** Seals, rewinds and forks. */
export class Checkpoints extends LogOwner {
  /** The run as it is now; a request that finds it otherwise after an await is a bug: one task of a run at a time. */
  current(name: string): Run {
    this.confirm();
    const run = this.state.run(name);
    run.refresh(this.world.nowMs());
    return run;
  }

  /**
   * EVERY REQUEST OF A TRAINER CARRIES ITS LINEAGE. 1 A trainer is replaced; 2 it wakes after the rewind, leases, trains and acks in
   * good order; 3 what it took never reaches the one that survives.
   */
  isInLineage(run: Run, lineage: number): boolean {
    return run.lineage === lineage;
  }

  /**
   * Seals a step, and acks in the same record what it holds unacked. 1 Rank 0 seals while the ack of rank 1 is under way; 2 crash,
   * the seal is restored; 3 the batch of rank 1 comes again.
   * SEALED ALREADY, ITS TOKENS STILL COUNT. 1 Two that train into the same weights seal the step, each with its own; 2 the second
   * hears ok, and acks no more; 3 its batch comes again.
   */
  *seal(name: string, { lineage, step, tokens }: SealRequest): Task<'ok' | Refused> {
    const run = this.current(name);
    if (!this.isInLineage(run, lineage)) return refused('discarded_lineage');
    const isSealed = run.seals.some((seal) => seal.lineage === run.lineage && seal.step === step);
    if (!isSealed && step < run.oldestStep()) return refused('forgotten');
    // What the first answer made final is known to nobody any more.
    const open = [...tokens].filter(([, { offsets }]) => !isSealed || offsets.some((offset) => !run.isFinal(offset)));
    const facts = run.vouch(
      new Map(open),
      'lease_lost',
      (lease, offset) => run.holds(lease) && run.leases.get(lease)?.grant?.facts.has(offset) === true,
    );
    if ('kind' in facts) return facts;
    if (isSealed && facts.size === 0) return 'ok';
    const lags = run.lagsOf(facts.keys());
    yield* this.write({ kind: 'seal', run: name, facts, lineage: run.lineage, step, lags, isFloor: false });
    return 'ok';
  }

  /**
   * ASKED AGAIN: THE SAME LINEAGE, NO EFFECT; and only out of the lineage that the trainer expects. 1 Rewind to 1200; 2 it trains to
   * 1210; 3 the delayed retry arrives: ten steps come again, to weights that have them.
   * ONE REQUEST GOES BACK TO ONE STEP. 1 Ranks name the same request; 2 the file of one is of step 10, of another of step 12; 3 both
   * hear ok, and 11 and 12 come again to weights that have them.
   */
  *rewind(name: string, { of, expect, request, tokens }: RewindRequest): Task<number | Refused> {
    const run = this.current(name);
    if (run.request === request) return run.cuts.get(run.lineage) === of.step ? run.lineage : refused('conflict');
    if (run.lineage !== expect) return refused('conflict');
    const vouched = run.restorable(of, tokens);
    if ('kind' in vouched) return vouched;
    const lineage = run.lineage + 1;
    const facts = new Map([...vouched].map(([offset, fact]) => [offset, { ...fact, lineage }]));
    yield* this.write({ kind: 'rewind', run: name, facts, lineage, of: of.lineage, step: of.step, request });
    yield* settle(this, run);
    return lineage;
  }

  /**
   * A new run with the parent's books as of a checkpoint. It names the parent's ready records by offset and has facts of its own on
   * them: nothing moves, and neither run waits for the other afterwards.
   */
  *fork(name: string, { of, into, request, tokens }: ForkRequest): Task<'ok' | Refused> {
    const run = this.current(name);
    const other = this.state.runs.get(into);
    if (other?.forked === request) return 'ok';
    if (into === name || (other !== undefined && isBegun(other))) return refused('exists');
    const vouched = run.restorable(of, tokens);
    if ('kind' in vouched) return vouched;
    const head = headOfFork(run, of.step, request);
    const entries = entriesOfFork(run);
    const facts = new Map<number, Fact>();
    for (const entry of entries) {
      const fact = vouched.has(entry.offset) ? trainedAt(of.step) : factInFork(run, head, entry, of.step);
      if (fact !== null) facts.set(entry.offset, fact);
    }
    // What is too large for one record goes before it, and counts with it.
    const most = this.settings.chunkEntries;
    const piece = entries.length > most ? `${this.claim}.${this.settings.name}.${this.seq + 1}` : null;
    for (let from = 0; piece !== null && from < entries.length; from += most) {
      const part = entries.slice(from, from + most);
      yield* this.write({ kind: 'chunk', run: into, entries: part, piece, facts: factsOn(part, facts) });
    }
    const own = piece === null ? { entries, facts } : { entries: [], facts: new Map() };
    yield* this.write({ kind: 'fork', run: into, parent: name, of: of.lineage, ...own, head, piece });
    yield* settle(this, this.current(into));
    return 'ok';
  }
}

function isBegun(run: Run): boolean {
  return (
    run.forked !== null || run.order.entries.length > 0 || run.unit !== null || run.lineage > 0 || run.counts.size > 0
  );
}

/** Of whole units, in the order of the topic. Where rollouts go alone, a version whose rest will come to the parent is not taken over. */
function entriesOfFork(run: Run): ReadyEntry[] {
  const whole = run.order.units().flatMap((unit) => membersOf(unit));
  return whole.filter((entry) => run.isOfWholeVersion(entry)).sort((a, b) => a.offset - b.offset);
}

function headOfFork(run: Run, step: number, request: string): RunHead {
  const before = [...run.inherited, ...run.announced()].flatMap(([name]) => {
    const version = run.version(name);
    return version !== null && version.step <= step
      ? [[name, { lineage: 0, step: version.step, ordinal: version.ordinal }] as const]
      : [];
  });
  const final = [...run.counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    ...run.head(),
    forgot: 0,
    lineage: 0,
    request: null,
    forked: request,
    inheritedCount: final + entriesOfFork(run).length,
    cuts: new Map(),
    seals: [{ lineage: 0, step }],
    floor: 0,
    last: new Map(),
    inherited: new Map(before),
  };
}

const trainedAt = (step: number): Fact => ({ state: 'trained', lineage: 0, step, lease: '', count: 0 });

/** What the fork knows of an entry from the start; null: it is queued. */
function factInFork(run: Run, head: RunHead, entry: ReadyEntry, step: number): Fact | null {
  const fact = run.fact(entry.offset);
  if (run.isTrained(fact, step)) return trainedAt(step);
  if (isTerminal(fact.state)) return { ...fact, lineage: 0, lease: '' };
  // Weights that are no more, as seen from the fork.
  const isLost = entry.versions.some(
    (name) => (run.announced().has(name) || run.inherited.has(name)) && !head.inherited.has(name),
  );
  return isLost ? { state: 'trainer_rejected', lineage: 0, step: 0, lease: '', count: 0 } : null;
}

function factsOn(entries: readonly ReadyEntry[], facts: ReadonlyMap<number, Fact>): Map<number, Fact> {
  return new Map(
    entries.flatMap(({ offset }) => {
      const fact = facts.get(offset);
      return fact === undefined ? [] : [[offset, fact] as const];
    }),
  );
}
