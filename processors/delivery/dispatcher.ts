import type {
  BatchKey,
  Fact,
  Facts,
  Grant,
  LeaseAnswer,
  LeaseRequest,
  ReadyEntry,
  ReadyState,
} from '../model/delivery.ts';
import type { Task } from '../model/delivery-effects.ts';
import { Checkpoints } from './checkpoints.ts';
import { type EndRequest, type Refused, type RunView, refused } from './requests.ts';
import { isTurnUpTo, type Run } from './run.ts';
import { settle } from './settle.ts';
import { shards } from './shards.ts';
import { type Found, isEnough, isTooFew, isTooLarge, MOST_TOKENS, type Taken, takeUnits } from './take.ts';

export type { EndRequest, ForkRequest, OnApplied, Refused, RewindRequest, RunView, SealRequest } from './requests.ts';

const AGAIN: LeaseAnswer = { kind: 'again' };
/** Keys in one record, each of a few hundred bytes at most. */
const MOST_TOLD = 1_000;

/** The one that grants. One decision of a run is in flight at a time. */
export class Dispatcher extends Checkpoints {
  /**
   * (REPLICA OR 'step', INDEX, TRY) HAS ONE ANSWER, whoever asks and whoever answers; "again" (not enough; or the lease is lost or
   * ended) is one too, and written: all ranks then ask with the next try. 1 Rank 0 hears "not enough", and stops; 2 data comes; 3
   * rank 1 gets a shard, and waits in a collective for ever. A single consumer is a replica of one rank: when an answer is lost,
   * its index gets it the same batch again.
   */
  *lease(q: LeaseRequest, mayWait: boolean): Task<LeaseAnswer> {
    if (mayWait) return yield* this.look(q);
    const [answer = AGAIN] = yield* this.lastLooks(q.run, [q]);
    return answer;
  }

  /**
   * The last look of requests whose wait is over: one record for all that find too little. A key among them has one answer, too:
   * 1 rank 0 finds too little; 2 a lease runs out; 3 rank 1, looked at behind it, would get a batch.
   */
  *lastLooks(run: string, requests: readonly LeaseRequest[]): Task<LeaseAnswer[]> {
    const answers: LeaseAnswer[] = [];
    const keys = new Map<string, BatchKey>();
    for (const q of requests) {
      const key = JSON.stringify(q.key);
      const answer = keys.has(key) ? AGAIN : yield* this.look(q);
      if (answer.kind === 'pending') keys.set(key, q.key);
      answers.push(answer.kind === 'pending' ? AGAIN : answer);
    }
    const told = [...keys.values()];
    for (let first = 0; first < told.length; first += MOST_TOLD)
      yield* this.write({ kind: 'wait', run, keys: told.slice(first, first + MOST_TOLD) });
    return answers;
  }

  /** Pending: there is not enough, and nobody was told so. */
  *look(q: LeaseRequest): Task<LeaseAnswer> {
    const run = this.current(q.run);
    if (!this.isInLineage(run, q.lineage)) return refused('discarded_lineage');
    const [name, ...turn] = q.key;
    // A rollout that is taken alone would tear its group for ever.
    if (run.unit !== null && run.unit !== q.unit) return refused('unit_is_fixed');
    const before = run.grantOf(q.key);
    if (before !== null && run.holds(before.lease))
      return before.dp === q.dp ? { kind: 'leased', grant: before, rank: q.rank } : refused('dp_size_changed');
    const last = run.last.get(name);
    if (last !== undefined && isTurnUpTo(turn, last)) return AGAIN;
    if (run.order.unit !== q.unit) run.order.restart(q.unit);
    // Looking would find the same until something changes.
    if (run.order.candidates < leastUnits(q) && !(q.dp === 0 && run.order.hold(MOST_TOKENS)))
      return { kind: 'pending' };
    for (;;) {
      const taken = this.take(run, q);
      let isGranted = false;
      try {
        // Before what is newer is granted: a successor whose clock is behind would take a lease that ran out for one in force.
        if (run.owed.size > 0) yield* settle(this, run);
        else if (taken.found.size > 0) yield* this.writeFound(q.run, taken.found);
        else if (isTooLarge(taken, q)) return refused('too_large');
        else if (isTooFew(taken, q)) return tooFew(run, taken, q);
        else if (!isEnough(taken, q)) return { kind: 'pending' };
        else {
          const { unreadable } = yield { kind: 'unreadable', entries: taken.entries };
          run.refresh(this.world.nowMs());
          if (unreadable !== undefined && unreadable.size > 0)
            yield* this.writeFound(q.run, foundUnreadable(run, taken, unreadable));
          else if (isStillFirst(run, taken, q)) {
            const grant = yield* this.grant(run, q, taken.entries);
            isGranted = true;
            return { kind: 'leased', grant, rank: q.rank };
          }
        }
      } finally {
        if (!isGranted) for (const unit of taken.seen) run.order.giveBack(unit);
      }
    }
  }

  take(run: Run, q: LeaseRequest): Taken {
    run.refresh(this.world.nowMs());
    return takeUnits(run, q, this.settings.maxDeliveries);
  }

  *grant(run: Run, q: LeaseRequest, entries: readonly ReadyEntry[]): Task<Grant> {
    const lease = `${this.claim}.${this.settings.name}.${this.seq + 1}`;
    const facts = new Map<number, Fact>();
    for (const { offset } of entries)
      facts.set(offset, { state: 'leased', lineage: run.lineage, step: 0, lease, count: run.deliveries(offset) + 1 });
    const grantedAtMs = this.world.nowMs();
    const grant: Grant = {
      kind: 'grant',
      run: q.run,
      facts,
      lease,
      lineage: run.lineage,
      key: q.key,
      dp: q.dp,
      unit: q.unit,
      consumer: q.consumer,
      deadline: grantedAtMs + q.leaseMs,
      shards: q.dp > 0 ? shards(entries, q.dp, q.microTokens) : [[entries.map(({ offset }) => offset)]],
      grantedAtMs,
      waitedMs: q.waitedMs,
    };
    yield* this.write(grant);
    return grant;
  }

  *writeFound(run: string, found: Found): Task<void> {
    for (const [reason, facts] of found)
      yield* this.write({ kind: 'fact', run, facts, reason, version: null, lags: new Map(), match: null });
  }

  *extend(name: string, lineage: number, lease: string, deadlineMs: number): Task<'ok' | Refused> {
    const run = this.current(name);
    if (!this.isInLineage(run, lineage)) return refused('discarded_lineage');
    const grant = run.leases.get(lease)?.grant ?? null;
    if (grant === null || !run.holds(lease)) return refused('lease_lost');
    if (deadlineMs > grant.deadline) yield* this.write({ ...grant, deadline: deadlineMs });
    return 'ok';
  }

  /**
   * Who is refused an ack has trained what another holds: back to a checkpoint, and no seal may take that step in. Asked again
   * (the answer was lost): ok.
   */
  *end(name: string, q: EndRequest): Task<'ok' | Refused> {
    const run = this.current(name);
    if (!this.isInLineage(run, q.lineage)) return refused('discarded_lineage');
    const known = run.leases.get(q.lease);
    for (const offset of known?.offsets ?? []) {
      const { lease, state } = run.fact(offset);
      if (lease === q.lease && state === q.state) return 'ok';
    }
    const grant = known?.grant ?? null;
    if (grant === null || !run.holds(q.lease)) return refused('lease_lost');
    const facts = new Map<number, Fact>();
    // 1 A loop is left after each batch, four more are prefetched; 2 they are granted and released five times; 3 undeliverable, and
    // no trainer ever saw them.
    const uncounted = q.state === 'queued' && q.isUnseen === true ? 1 : 0;
    for (const [offset, fact] of grant.facts) {
      facts.set(offset, { ...fact, state: q.state, lineage: run.lineage, step: q.step, count: fact.count - uncounted });
    }
    const lags = run.lagsOf(q.state === 'trained' ? facts.keys() : []);
    const { reason, version, match } = q;
    yield* this.write({ kind: 'fact', run: name, facts, reason, version, lags, match });
    yield* settle(this, run);
    return 'ok';
  }

  runOfLease(lease: string): string | null {
    for (const [name, { leases }] of this.state.runs) if (leases.has(lease)) return name;
    return null;
  }

  view(name: string): RunView | null {
    const run = this.state.runs.get(name);
    if (run === undefined) return null;
    run.refresh(this.world.nowMs());
    const { lineage, unit, seals, last } = run;
    const states: Record<ReadyState, number> = run.states();
    return { lineage, unit, seals, states, accepted: run.accepted(), last: new Map(last), newest: this.newest(name) };
  }

  /** Weights of the run that survive, the ones made last; null: none were announced. */
  newest(name: string): string | null {
    return this.state.runs.get(name)?.newest()?.name ?? null;
  }

  entry(name: string, offset: number): ReadyEntry {
    const entry = this.state.runs.get(name)?.order.get(offset);
    if (entry === undefined) throw new Error(`${name} has no entry @${offset} that is not final`);
    return entry;
  }

  /** Newest weights − oldest that sampled the entry, in announcements; null: unknown. */
  lag(name: string, entry: ReadyEntry): number | null {
    return this.state.runs.get(name)?.lag(entry) ?? null;
  }

  /** When a lease of the run runs out: whoever waits is woken. */
  nextDeadlineMs(name: string): number | null {
    return this.state.runs.get(name)?.nextDeadlineMs() ?? null;
  }
}

/** While payloads were looked at, a lease may have run out, weights may have come or gone. */
function isStillFirst(run: Run, { seen, entries }: Taken, { rule }: LeaseRequest): boolean {
  const last = seen.at(-1);
  if (last === undefined || run.order.isOvertaken(last)) return false;
  return entries.every((entry) => run.isFree(entry.offset) && run.staleness(entry, rule) === null);
}

/** Nothing is written: a rank that asks the same is refused as long as these units come first. What was answered to one stays so. */
function tooFew(run: Run, { picked, entries }: Taken, { dp }: LeaseRequest): Refused {
  const short = { ranks: dp, units: picked, trajectories: entries.length, isUnitFixed: run.unit !== null };
  return { ...refused('too_few'), short };
}

/** Units without which it is not enough. */
function leastUnits({ dp, tokens, most, least }: LeaseRequest): number {
  if (dp === 0) return least;
  return tokens === null ? most : 1;
}

/** A payload that is missing or damaged makes its own entry undeliverable; its siblings keep their advantages. */
function foundUnreadable(run: Run, taken: Taken, unreadable: ReadonlyMap<number, string>): Found {
  const found = new Map<string, Facts>();
  for (const { offset } of taken.entries) {
    const why = unreadable.get(offset);
    if (why === undefined) continue;
    const fact: Fact = {
      state: 'undeliverable',
      lineage: run.lineage,
      step: 0,
      lease: '',
      count: run.deliveries(offset),
    };
    found.set(why, new Map([...(found.get(why) ?? []), [offset, fact]]));
  }
  return found;
}
