import { Checkpoints } from '../../../processors/delivery/checkpoints.ts';
import { Dispatcher } from '../../../processors/delivery/dispatcher.ts';
import { ALREADY_TRAINED, type Judged } from '../../../processors/delivery/judge-versions.ts';
import { LogOwner } from '../../../processors/delivery/log-owner.ts';
import { membersOf, ReadyOrder } from '../../../processors/delivery/ready-order.ts';
import { Run } from '../../../processors/delivery/run.ts';
import { RunBooks } from '../../../processors/delivery/run-books.ts';
import { RunStates } from '../../../processors/delivery/run-states.ts';
import { State } from '../../../processors/delivery/state.ts';
import type { LeaseRecord, ReadyEntry } from '../../../processors/model/delivery.ts';
import { World } from './world.ts';

/** The world that is played now: some naive versions do to it what the rule's own place cannot. */
export const on: { world: World | null } = { world: null };

type Restore = () => void;

/** Puts another method in the place of one. */
function replace<T extends object, K extends keyof T>(prototype: T, name: K, naive: (real: T[K]) => T[K]): Restore {
  const real = prototype[name];
  const isOwn = Object.hasOwn(prototype, name);
  prototype[name] = naive(real);
  return () => {
    if (isOwn) prototype[name] = real;
    else delete prototype[name];
  };
}

const isDecisive = ({ kind }: { kind: LeaseRecord['kind'] }): boolean => kind === 'grant' || kind === 'fact';

/** Judges versions otherwise: of each entry, what is said instead. */
const judged = (
  naive: (run: RunBooks, entry: ReadyEntry, real: Judged) => Partial<Judged>,
  seen: (entry: ReadyEntry) => ReadyEntry = (entry) => entry,
): (() => Restore) => {
  return () =>
    replace(
      RunBooks.prototype,
      'judge',
      (real) =>
        function judge(this: RunBooks, unit, nowMs) {
          const all = real.call(this, unit.map(seen), nowMs);
          return new Map(
            unit.flatMap((entry) => {
              const one = all.get(entry.offset);
              return one === undefined ? [] : [[entry.offset, { ...one, ...naive(this, entry, one) }] as const];
            }),
          );
        },
    );
};

const QUEUED = { state: 'queued' as const, reason: '', isBlocked: false };
const isReplacedByNewer = ({ reason }: Judged): boolean => reason.startsWith('replaced by');

/** What each puts in the place of a rule. */
export const NAIVE: Readonly<Record<string, ReadonlyArray<() => Restore>>> = {
  'answered before it is written': [
    () =>
      replace(
        LogOwner.prototype,
        'append',
        (real) =>
          function* append(this: LogOwner, decision) {
            if (!isDecisive(decision)) return yield* real.call(this, decision);
            this.confirm();
            this.seq += 1;
            const { claim, seq, world, settings } = this;
            const record: LeaseRecord = { ...decision, claim, seq, by: settings.name, at: world.nowMs() };
            const key = this.key(record);
            if (on.world?.rng.chance(0.9)) on.world.flight.push({ key, record, owner: null });
            return { key, record };
          },
      ),
  ],
  '"not enough" is not written': [
    () =>
      replace(
        LogOwner.prototype,
        'write',
        (real) =>
          function* write(this: LogOwner, decision) {
            return decision.kind === 'wait' ? '' : yield* real.call(this, decision);
          },
      ),
  ],
  'first come, first served per rank': [
    () =>
      replace(
        Dispatcher.prototype,
        'lease',
        (real) =>
          function lease(this: Dispatcher, q, mayWait) {
            const [name, index, attempt] = q.key;
            if (q.dp === 0) return real.call(this, q, mayWait);
            return real.call(
              this,
              { ...q, key: [`${name}/${q.rank}`, index, attempt], dp: 1, most: 2, least: 1, rank: 0 },
              mayWait,
            );
          },
      ),
  ],
  'records keyed by lease': [
    () =>
      replace(
        LogOwner.prototype,
        'key',
        (real) =>
          function key(this: LogOwner, r) {
            const leases = 'facts' in r ? new Set([...r.facts.values()].map(({ lease }) => lease)) : new Set<string>();
            const [first = ''] = leases;
            return isDecisive(r) && leases.size === 1 ? first : real.call(this, r);
          },
      ),
  ],
  'takeover without waiting': [() => replace(LogOwner.prototype, 'waits', () => () => 0)],
  'not confirmed after the write': [() => replace(LogOwner.prototype, 'confirmWritten', () => () => undefined)],
  'late writes of others count': [() => replace(State.prototype, 'counts', () => () => true)],
  'ownership by number and seq alone': [
    () =>
      replace(
        State.prototype,
        'counts',
        () =>
          function counts(this: State, { claim, seq }) {
            return claim > this.claim || (claim === this.claim && seq > this.seq);
          },
      ),
  ],
  'void records outlive older claims': [
    () =>
      replace(
        World.prototype,
        'drop',
        (real) =>
          function drop(this: World, keys, awaited) {
            if (!awaited) real.call(this, keys, awaited);
          },
      ),
  ],
  'ack accepted after a new grant': [
    () =>
      replace(
        RunBooks.prototype,
        'holds',
        () =>
          function holds(this: RunBooks, lease) {
            return this.leases.get(lease)?.grant?.lineage === this.lineage;
          },
      ),
  ],
  'ack accepted from a lineage that was left': [
    () =>
      replace(
        Dispatcher.prototype,
        'end',
        (real) =>
          function end(this: Dispatcher, name, q) {
            return real.call(this, name, { ...q, lineage: this.state.run(name).lineage });
          },
      ),
    // The books forget grants of a lineage that was left.
    () =>
      replace(
        RunStates.prototype,
        'isWorthKeeping',
        () =>
          function isWorthKeeping(this: RunStates, { grant, offsets }) {
            return grant !== null && offsets.size > 0;
          },
      ),
    () =>
      replace(
        RunBooks.prototype,
        'holds',
        () =>
          function holds(this: RunBooks, lease) {
            const grant = this.leases.get(lease)?.grant ?? null;
            return grant !== null && [...grant.facts].every(([offset, fact]) => this.fact(offset).lease === fact.lease);
          },
      ),
  ],
  'requests without lineage': [() => replace(Checkpoints.prototype, 'isInLineage', () => () => true)],
  'rewind executed each time it is asked': [
    () =>
      replace(
        Checkpoints.prototype,
        'rewind',
        (real) =>
          function rewind(this: Checkpoints, name, q) {
            const expect = this.state.run(name).lineage;
            return real.call(this, name, { ...q, expect, request: on.world?.unique() ?? '' });
          },
      ),
    () => replace(Checkpoints.prototype, 'isInLineage', () => () => true),
  ],
  'checkpoint named by its step alone': [
    () =>
      replace(
        RunBooks.prototype,
        'restorable',
        (real) =>
          function restorable(this: RunBooks, of, tokens) {
            const same = this.seals.filter(({ step }) => step === of.step).map(({ lineage }) => lineage);
            return real.call(this, { ...of, lineage: same.length > 0 ? Math.max(...same) : of.lineage }, tokens);
          },
      ),
  ],
  'tokens ignored': [() => replace(RunBooks.prototype, 'vouch', () => () => new Map())],
  'acks counted for admission': [
    () =>
      replace(
        RunStates.prototype,
        'accepted',
        (real) =>
          function accepted(this: RunStates) {
            const isUndone = [...this.facts.values()].filter(
              ({ fact }) => fact.state === 'trained' && !this.isTrained(fact),
            );
            return real.call(this) + isUndone.length;
          },
      ),
  ],
  'version names used again': [
    () =>
      replace(
        World.prototype,
        'nameOf',
        () =>
          function nameOf(this: World, job) {
            return `${job.run}.${job.step}`;
          },
      ),
  ],
  'consumed when fetched': [
    () =>
      replace(
        RunBooks.prototype,
        'holds',
        () =>
          function holds(this: RunBooks, lease) {
            return this.leases.has(lease);
          },
      ),
    () =>
      replace(
        RunBooks.prototype,
        'stateOf',
        (real) =>
          function stateOf(this: RunBooks, entry, now) {
            return this.fact(entry.offset).state === 'leased' ? 'trained' : real.call(this, entry, now);
          },
      ),
  ],
  'deliveries counted by deadlines only': [
    () =>
      replace(
        RunBooks.prototype,
        'deliveries',
        () =>
          function deliveries(this: RunBooks, offset) {
            const { state, count, lineage } = this.fact(offset);
            if (state !== 'leased' && state !== 'queued') return 0;
            return this.facts.has(offset) && (state === 'queued' || lineage !== this.lineage) ? count - 1 : count;
          },
      ),
  ],
  'final by entry, not by group': [
    () =>
      replace(
        Run.prototype,
        'finalUnits',
        () =>
          function finalUnits(this: Run) {
            return this.order.entries.filter((entry) => this.becomesFinal(entry));
          },
      ),
  ],
  'one watermark for all runs': [
    () =>
      replace(
        Run.prototype,
        'finalUnits',
        (real) =>
          function finalUnits(this: Run) {
            const states = on.world?.owners.map(({ d }) => d.state) ?? [];
            const others = [...(states.find((state) => state.runs.get(this.name) === this)?.runs.values() ?? [])];
            const low = Math.min(
              ...others.flatMap((run) => (run === this ? [] : (run.order.entries[0]?.offset ?? []))),
            );
            return real.call(this).filter((unit) => (membersOf(unit).at(-1)?.offset ?? 0) < low);
          },
      ),
  ],
  'batch indices go with their grants': [
    () =>
      replace(
        World.prototype,
        'land',
        (real) =>
          function land(this: World, key, r) {
            real.call(this, key, r.kind === 'head' ? { ...r, head: { ...r.head, last: new Map() } } : r);
          },
      ),
  ],
  'a floor is taken for a checkpoint': [
    () =>
      replace(
        RunBooks.prototype,
        'restorable',
        (real) =>
          function restorable(this: RunBooks, of, tokens) {
            return of.step === this.floor ? new Map() : real.call(this, of, tokens);
          },
      ),
  ],
  'what comes back is no candidate': [() => replace(ReadyOrder.prototype, 'giveBack', () => () => undefined)],
  'an older version is taken all the same': [
    judged((run, { offset }, one) => (isReplacedByNewer(one) && !run.facts.has(offset) ? QUEUED : {})),
  ],
  'an older version that comes back is taken again': [
    judged((run, { offset }, one) => (isReplacedByNewer(one) && run.facts.has(offset) ? QUEUED : {})),
  ],
  'what is replaced comes back with a rewind': [
    judged((run, { offset }, one) => {
      const { state, lineage } = run.fact(offset);
      return state === 'replaced' && lineage !== run.lineage ? QUEUED : one;
    }),
  ],
  'a newer version does not wait for an older one': [
    judged((run, { offset }, { isWhole }) => (isWhole && !run.unseen.has(offset) ? { isBlocked: false } : {})),
  ],
  'a newer version is replaced as soon as an older one is trained': [
    judged((_, __, one) => (one.isBlocked && one.isWhole ? { state: 'replaced', reason: ALREADY_TRAINED } : {})),
  ],
  'a version counts before it is whole': [
    judged(
      () => ({}),
      (entry) => ({ ...entry, size: 1 }),
    ),
  ],
  'blocked once, blocked for ever': [
    judged((run, { offset }, { state }) =>
      state === 'queued' && run instanceof RunStates && run.blocked.has(offset) ? { isBlocked: true } : {},
    ),
  ],
  'to be trained again is forgotten': [
    judged(
      () => ({}),
      ({ again: _, ...entry }) => entry,
    ),
  ],
  'rows of what is forgotten are not asked': [() => replace(World.prototype, 'trainedOf', () => () => [])],
  'versions are final one by one': [
    () =>
      replace(
        Run.prototype,
        'finalUnits',
        () =>
          function finalUnits(this: Run) {
            return this.order.units().filter((unit) => membersOf(unit).every((member) => this.becomesFinal(member)));
          },
      ),
  ],
  'each version counts for admission': [
    () =>
      replace(
        RunStates.prototype,
        'accepted',
        (real) =>
          function accepted(this: RunStates) {
            return real.call(this) + this.blocked.size;
          },
      ),
  ],
  'payloads looked at, and nothing else again': [() => replace(ReadyOrder.prototype, 'isOvertaken', () => () => false)],
};

/** Naive versions that a trainer never notices: the books tell. */
export const SEEN_IN_BOOKS: ReadonlySet<string> = new Set([
  'one watermark for all runs',
  'acks counted for admission',
  'each version counts for admission',
]);
