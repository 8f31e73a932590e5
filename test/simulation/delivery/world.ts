import { Dispatcher } from '../../../processors/delivery/dispatcher.ts';
import { Fenced } from '../../../processors/delivery/fenced.ts';
import type { LeaseRecord, ReadyEntry, TakeRule } from '../../../processors/model/delivery.ts';
import type {
  Announced,
  DeliveryEffect,
  EffectAnswer,
  Task,
  TrainedBefore,
} from '../../../processors/model/delivery-effects.ts';
import { createRandom, type Random } from '../../../src/simulate/random.ts';
import { ask, type Query, type Thread } from './ask.ts';
import { Checks } from './checks.ts';
import { Emissions } from './emissions.ts';
import { type CheckpointFile, Died, isRefused, Job, type Mode } from './job.ts';
import { PlainLog } from './reference.ts';
import { check } from './violation.ts';

export const SESSION_MS = 4;
export const MAX_DELIVERIES = 3;
export const CHUNK = 10;
const KEPT = 2;
const MAX_LAG = 4;

/** A dispatcher of a process, with the task that it is at. */
export interface Owner {
  readonly d: Dispatcher;
  task: Task<() => void> | null;
  query: Query | null;
  reply: EffectAnswer;
  /** Written, outcome unknown. */
  blocked: LeaseRecord | null;
  wakesAt: number;
  validUntil: number;
}

type Logged = { readonly key: string; readonly record: LeaseRecord | null };
type Flying = Logged & { readonly owner: Owner | null };

const MODES: readonly Mode[] = [
  { unit: 'rollout', processes: 1, dp: 0, least: 1, tokens: null },
  { unit: 'group', processes: 1, dp: 0, least: 2, tokens: null },
  { unit: 'group', processes: 2, dp: 0, least: 1, tokens: null },
  { unit: 'group', processes: 2, dp: 2, least: 1, tokens: null },
  { unit: 'rollout', processes: 3, dp: 3, least: 1, tokens: null },
  { unit: 'group', processes: 2, dp: 2, least: 1, tokens: 20 },
];

/** Topics, clock, coordinator, producers; every choice by the seed. `oracle` reads all that counts and forgets nothing. */
export class World extends Checks {
  readonly rng: Random;
  now = 0;
  draining = false;
  readonly neverSeals: boolean;
  /** Whoever reads the log leaves out what a tombstone follows, though compaction has not come. */
  readonly #obeysTombstones: boolean;
  /** What was never sealed may be forgotten. */
  readonly mayForget: boolean;
  readonly ready: ReadyEntry[] = [];
  log: Logged[] = [];
  inbox: Query[] = [];
  flight: Flying[] = [];
  readonly oracle: PlainLog;
  owners: Owner[] = [];
  owner: Owner;
  readonly jobs = new Map<string, Job>();
  /** Jobs and operators that are thought dead, or nobody's. */
  zombies: Array<Job | { threads: Thread[] }> = [];
  readonly files = new Map<string, readonly CheckpointFile[]>();
  readonly #versions = new Map<string, Map<string, Announced>>();
  readonly #truth = new Map<number, readonly string[]>();
  readonly #unreadable = new Map<number, string>();
  readonly #engines = new Map<string, Array<{ name: string; made: string }>>();
  readonly #modes = new Map<string, Mode>();
  readonly #rules = new Map<string, TakeRule>();
  readonly #emissions = new Emissions();
  /** By key of a record: how far its owner had read when it wrote it. */
  readonly #readBy = new Map<string, number>();
  #ids = 0;
  readonly #late: number;
  readonly #calm: ReadonlyArray<readonly [() => void, number]>;
  readonly #rough: ReadonlyArray<readonly [() => void, number]>;

  constructor(
    seed: string,
    readonly isStrict: boolean,
    /** Processes of a replica ask in one look, with another replica that never finds enough. */
    readonly asksTogether = false,
  ) {
    super();
    this.rng = createRandom(seed);
    const { rng } = this;
    this.mayForget = rng.chance(0.2);
    this.neverSeals = this.mayForget && rng.chance(0.5);
    this.#obeysTombstones = rng.chance(0.5);
    this.oracle = new PlainLog((run) => this.announced(run), KEPT);
    for (const run of ['a', 'b', 'f', 'z']) {
      this.#modes.set(run, rng.pick(MODES));
      const atTake = rng.weighted([
        ['member', 3],
        ['group', 3],
        ['keep', 1],
      ] as const);
      this.#rules.set(run, { maxLag: MAX_LAG, expiresUnknown: true, atTake });
    }
    // z: a run whose trainer never comes; f will be forked.
    for (const run of ['a', 'b', 'z']) {
      const made = `${run}.0.0`;
      this.announced(run).set(made, { lineage: 0, step: 0, ordinal: 0 });
      this.#engines.set(run, [{ name: made, made }]);
      const file = { lineage: 0, step: 0, weights: [], tokens: null, history: new Set([made]) };
      this.files.set(run, [file]);
      if (run !== 'z') this.jobs.set(run, new Job(this, run, { file, lineage: 0 }));
    }
    // Writes whose outcome is unknown; some never land.
    this.#late = rng.pick([0.05, 0.2, 0.4]);
    const tick = (): void => this.tick();
    this.#calm = [
      [() => this.moveDispatcher(), 55],
      [() => this.moveThread(), 30],
      [tick, 3],
      [() => this.heartbeat(), 4],
    ];
    const rough: ReadonlyArray<readonly [() => void, number]> = [
      [tick, 3],
      [() => this.produce(), 5],
      [() => this.replay(), 0.8],
      [() => this.moveFlight(), 2],
      [() => this.compact(), 0.7],
      [() => this.rebalance(), 0.3],
      [() => this.crashDispatcher(), 0.1],
      [() => this.crashJob(), 0.3],
      [() => this.fork(), 0.1],
      [() => this.checkBooks(), 0.5],
    ];
    this.#rough = [...this.#calm, ...rough.map(([move, rate]) => [move, rate * rng.pick([0.4, 1, 3])] as const)];
    this.owner = this.#newOwner();
    this.owners = [this.owner];
    this.heartbeat();
  }

  unique(): string {
    this.#ids += 1;
    return `u${this.#ids}`;
  }

  announced(run: string): Map<string, Announced> {
    const versions = this.#versions.get(run) ?? new Map<string, Announced>();
    this.#versions.set(run, versions);
    return versions;
  }

  modeOf = (run: string): Mode => this.#modes.get(run) ?? this.rng.pick(MODES);
  ruleOf = (run: string): TakeRule => this.#rules.get(run) ?? { maxLag: null, expiresUnknown: false, atTake: 'keep' };
  filesOf = (run: string): readonly CheckpointFile[] => this.files.get(run) ?? [];
  madeBy = (offset: number): readonly string[] => this.#truth.get(offset) ?? [];

  // Producers, clock, coordinator.

  /** Groups open while others' members still arrive; any weights of late may have sampled, also of a lineage that was left. */
  produce(): void {
    const { rng } = this;
    const emissions = this.#emissions;
    if (emissions.isEmpty || (rng.chance(0.4) && !this.draining))
      emissions.group(rng, rng.pick([...this.#engines.keys()].sort()), this.unique());
    const offset = this.ready.length;
    const emitted = emissions.next(rng, (run) => this.#sample(run));
    if (emitted === null) return;
    const { made, ...fields } = emitted;
    const entry: ReadyEntry = { ...fields, offset, attempt: 0, readyAtMs: this.now };
    this.#truth.set(offset, made);
    if (rng.chance(0.02)) this.#unreadable.set(offset, rng.pick(['blob_missing', 'blob_damaged']));
    this.ready.push(entry);
    this.oracle.run(entry.run).add(entry);
  }

  #sample(run: string): { readonly tokens: number; readonly versions: string[]; readonly made: string[] } {
    const { rng } = this;
    const engines = (this.#engines.get(run) ?? []).slice(-5);
    const sampled = Array.from({ length: rng.pick([1, 2]) }, () => rng.pick(engines));
    return {
      tokens: rng.pick([0, 1, 2, 5, 9, 20]),
      versions: [...new Set(sampled.map(({ name }) => name))],
      made: sampled.map(({ made }) => made),
    };
  }

  /** A unit that is ready is scored again, with the same members or others, and comes once more. */
  replay(): void {
    this.#emissions.again(this.rng, `p${this.unique()}`, (run) => this.#sample(run));
  }

  /** Rows of the run; what is not final yet may have none, and what was taken back still stands there. */
  trainedOf(name: string, units: readonly string[]): TrainedBefore[] {
    const run = this.oracle.run(name);
    return [...run.entries.values()].flatMap(({ offset, unit, rollout }) => {
      const { state, lineage, step } = run.fact(offset);
      const isThere = units.includes(unit) && state === 'trained' && (run.isFinal(offset) || this.rng.chance(0.5));
      return isThere ? [{ offset, unit, rollout, lineage, step }] : [];
    });
  }

  /** A name is used once in a run, over all its lineages. */
  nameOf(job: Job): string {
    return `${job.run}.${job.lineage}.${job.step}`;
  }

  announce(job: Job): void {
    const made = `${job.run}.${job.lineage}.${job.step}`;
    const name = this.nameOf(job);
    this.announced(job.run).set(name, { lineage: job.lineage ?? 0, step: job.step, ordinal: job.step });
    this.announcedAt.set(name, this.now);
    job.history.add(made);
    this.#engines.get(job.run)?.push({ name, made });
  }

  tick(): void {
    this.now += 1;
  }

  heartbeat(): void {
    this.owner.validUntil = this.now + SESSION_MS;
  }

  #newOwner(): Owner {
    const settings = {
      name: this.unique(),
      url: 'http://owner',
      maxDeliveries: MAX_DELIVERIES,
      keptCheckpoints: KEPT,
      unsealedTrajectories: this.mayForget ? 25 : 1_000_000,
      chunkEntries: CHUNK,
    };
    const d = new Dispatcher(settings, {
      nowMs: () => this.now,
      isHeld: () => this.now < owner.validUntil,
      sessionMs: SESSION_MS,
      assignedAtMs: this.now,
      announced: (run) => this.announced(run),
    });
    const { ready } = this;
    const takeOver = function* takeOver(): Task<() => void> {
      yield* d.takeOver();
      d.arrived(ready.slice(d.position), ready.length);
      yield* d.index();
      return () => undefined;
    };
    const owner: Owner = { d, task: takeOver(), query: null, reply: {}, blocked: null, wakesAt: 0, validUntil: 0 };
    return owner;
  }

  /** Ownership moves; the old owner may not know until its session ends, or sleep in the middle of anything. */
  rebalance(): void {
    this.owner.wakesAt = this.now + this.rng.pick([0, 0, 5, 10]);
    this.owner = this.#newOwner();
    this.owners = [...this.owners.slice(-2), this.owner];
    this.heartbeat();
  }

  crashDispatcher(): void {
    if (this.owners.length > 0) this.owners.splice(this.rng.whole(0, this.owners.length - 1), 1);
  }

  // ready.leases.

  land(key: string, record: LeaseRecord): void {
    this.log.push({ key, record });
    if (!this.oracle.counts(record)) return;
    const read = this.#readBy.get(key) ?? Number.POSITIVE_INFINITY;
    if (record.kind === 'grant' && !this.oracle.run(record.run).leases.has(record.lease)) this.checkGrant(record, read);
    if (record.kind === 'fact') this.checkReplaced(record, read);
    if ('facts' in record && 'run' in record)
      for (const [offset, { state }] of record.facts)
        if (state === 'trained') this.granted.set(`${record.run} ${offset}`, 0);
    this.oracle.apply(record);
  }

  drop(keys: readonly string[], awaited: boolean): void {
    const isLate = !awaited && !this.draining && this.rng.chance(this.#late);
    for (const key of keys)
      if (isLate) this.flight.push({ key, record: null, owner: null });
      else this.log.push({ key, record: null });
  }

  moveFlight(): void {
    if (this.flight.length === 0) return;
    const [flying] = this.flight.splice(this.rng.whole(0, this.flight.length - 1), 1);
    if (flying === undefined) return;
    const { key, record, owner } = flying;
    if (record === null) {
      this.log.push({ key, record });
      return;
    }
    this.land(key, record);
    if (owner !== null && owner.blocked === record) {
      owner.blocked = null;
      owner.reply = { landed: true };
    }
  }

  compact(): void {
    const last = new Map(this.log.map(({ key }, i) => [key, i]));
    this.log = this.log.filter(({ key, record }, i) => last.get(key) === i && record !== null);
  }

  readLog(): EffectAnswer {
    const last = new Map(this.log.map(({ key }, i) => [key, i]));
    const isRead = (key: string, i: number): boolean => !this.#obeysTombstones || last.get(key) === i;
    return {
      log: this.log.flatMap(({ key, record }, i) => (record !== null && isRead(key, i) ? [{ key, record }] : [])),
    };
  }

  // One move of a dispatcher, of a trainer.

  *handle(d: Dispatcher, query: Query): Task<() => void> {
    d.confirm();
    d.arrived(this.ready.slice(d.position), this.ready.length);
    yield* d.index();
    return yield* query.task(d);
  }

  *fold(d: Dispatcher, run: string): Task<() => void> {
    yield* d.fold(run);
    return () => undefined;
  }

  moveDispatcher(): void {
    const { rng } = this;
    // Its heartbeats are missed.
    if (!this.owners.includes(this.owner) && rng.chance(0.1)) this.rebalance();
    if (this.owners.length === 0) return;
    const owner = rng.pick(this.owners);
    if (this.now < owner.wakesAt) return;
    if (owner.task === null) {
      if (rng.chance(0.03)) {
        owner.task = this.fold(owner.d, rng.pick([...owner.d.state.runs.keys(), 'a'].sort()));
        owner.query = null;
      } else if (this.inbox.length > 0) {
        const [query] = this.inbox.splice(rng.whole(0, this.inbox.length - 1), 1);
        if (query === undefined) return;
        owner.query = query;
        owner.task = this.handle(owner.d, query);
        // It comes a second time, perhaps much later.
        if (rng.chance(0.1) && !this.draining) this.inbox.push(query);
      } else return;
    }
    if (owner.blocked !== null) {
      if (!rng.chance(0.1)) return;
      // A time-out: will it land or not?
      owner.blocked = null;
      owner.reply = { landed: false };
    }
    this.step(owner, owner.task);
  }

  step(owner: Owner, task: Task<() => void>): void {
    let step: IteratorResult<DeliveryEffect, () => void>;
    try {
      step = task.next(owner.reply);
    } catch (error) {
      if (!(error instanceof Fenced)) throw error;
      this.owners = this.owners.filter((one) => one !== owner);
      return;
    }
    owner.reply = {};
    if (step.done === true) {
      const { query } = owner;
      owner.task = null;
      const isAwaited = query !== null && this.threads().some((thread) => thread.query === query);
      if (isAwaited && (this.draining || this.rng.chance(0.9))) step.value();
      return;
    }
    this.perform(owner, step.value);
  }

  perform(owner: Owner, effect: DeliveryEffect): void {
    switch (effect.kind) {
      case 'write':
        this.#readBy.set(effect.key, owner.d.position);
        if (this.draining || !this.rng.chance(this.#late)) {
          this.land(effect.key, effect.record);
          owner.reply = { landed: true };
        } else {
          owner.blocked = effect.record;
          if (this.rng.chance(0.8)) this.flight.push({ key: effect.key, record: effect.record, owner });
        }
        return;
      case 'read_log':
        owner.reply = this.readLog();
        return;
      case 'drop':
        this.drop(effect.keys, effect.awaited);
        return;
      case 'unreadable':
        owner.reply = {
          unreadable: new Map(
            [...this.#unreadable].filter(([at]) => effect.entries.some(({ offset }) => offset === at)),
          ),
        };
        return;
      case 'look_back':
        owner.reply = { trained: this.trainedOf(effect.run, effect.units) };
        return;
      case 'wait':
        return;
    }
  }

  threads(): Thread[] {
    return [...this.jobs.values(), ...this.zombies].flatMap(({ threads }) => threads);
  }

  moveThread(): void {
    const { rng } = this;
    const homes = [...this.jobs.values(), ...this.zombies].filter(({ threads }) => threads.length > 0);
    if (homes.length === 0) return;
    const all = homes.flatMap((home) => home.threads.map((thread) => ({ home, thread })));
    const { home, thread } = rng.pick(all);
    if (thread.query !== null && !thread.query.isAnswered()) {
      if (rng.chance(this.inbox.includes(thread.query) ? 0.01 : 0.2)) this.inbox.push(thread.query);
      return;
    }
    try {
      const step = thread.steps.next();
      if (step.done === true) home.threads = home.threads.filter((one) => one !== thread);
      else {
        thread.query = step.value;
        this.inbox.push(step.value);
      }
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      if (home instanceof Job) this.replace(home, false);
    }
  }

  crashJob(): void {
    if (this.jobs.size > 0) this.replace(this.rng.pick([...this.jobs.values()]), this.rng.chance(0.5));
  }

  /** The job is dead, or only thought dead. Another one takes its place and restores some checkpoint. */
  replace(job: Job, isZombie: boolean): void {
    if (isZombie && job.lineage !== null) this.zombies = [...this.zombies.slice(-1), job];
    else job.threads = [];
    if (this.jobs.get(job.run) === job) this.jobs.set(job.run, new Job(this, job.run, null));
  }

  fork(): void {
    if (this.jobs.has('f')) return;
    const { rng } = this;
    const parent = rng.pick(['a', 'b']);
    const files = this.filesOf(parent);
    if (files.length === 0) return;
    const file = rng.pick(files.slice(-3));
    const { lineage, step, tokens } = file;
    const request = this.unique();
    const world = this;
    const steps = function* operator() {
      const q = { of: { lineage, step }, into: 'f', tokens, request };
      const answer = yield* ask((d) => d.fork(parent, q));
      if (isRefused(answer) || world.jobs.has('f')) return;
      world.checkHistory('f', file, 0);
      const own = { ...file, lineage: 0, tokens: null };
      world.files.set('f', [own]);
      world.#modes.set('f', world.modeOf(parent));
      const { inherited } = world.oracle.run('f');
      world.#engines.set(
        'f',
        (world.#engines.get(parent) ?? []).filter(({ name }) => inherited.has(name)),
      );
      world.jobs.set('f', new Job(world, 'f', { file: own, lineage: 0 }));
    };
    this.zombies.push({ threads: [{ steps: steps(), query: null }] });
  }

  // A schedule.

  play(moves = 1_500, patience = 15_000): void {
    for (let i = 0; i < moves; i++) this.rng.weighted(this.#rough)();
    while (!this.#emissions.isEmpty) this.produce();
    this.draining = true;
    this.zombies = [];
    this.flight = [];
    this.owners = [];
    this.rebalance();
    // No more faults: all that can be trained is, and once.
    for (let left = patience; !this.isIdle(); left -= 100) {
      check(left > 0, 'stuck');
      for (let i = 0; i < 100; i++) this.rng.weighted(this.#calm)();
    }
    this.checkWeights();
    if (this.isStrict) this.checkBounds();
  }
}
