import { membersOf } from '../../../processors/delivery/ready-order.ts';
import type {
  BatchKey,
  Grant,
  LeaseAnswer,
  Leased,
  LeaseRecord,
  LeaseRequest,
  ReadyEntry,
  ShortStep,
  TakeRule,
} from '../../../processors/model/delivery.ts';
import type { Task, TrainedBefore } from '../../../processors/model/delivery-effects.ts';
import { type CheckpointFile, type Job, MICRO_TOKENS, type Mode } from './job.ts';
import type { PlainLog, PlainRun } from './reference.ts';
import { check } from './violation.ts';
import { CHUNK, MAX_DELIVERIES, type Owner, SESSION_MS } from './world.ts';

/** What must hold of a world: judged by what a trainer sees, by one who reads everything, and at the end by the trained weights. */
export abstract class Checks {
  /** By run and offset: grants since it was last trained. */
  readonly granted = new Map<string, number>();
  /** By name of weights: when. */
  readonly announcedAt = new Map<string, number>();
  readonly #told = new Map<string, LeaseAnswer>();
  #held = new Map<string, { readonly lease: string; readonly lineage: number; readonly deadline: number }>();

  abstract now: number;
  abstract readonly oracle: PlainLog;
  abstract readonly jobs: ReadonlyMap<string, Job>;
  abstract readonly ready: readonly ReadyEntry[];
  abstract readonly log: ReadonlyArray<{ readonly key: string; readonly record: LeaseRecord | null }>;
  abstract readonly owner: Owner;
  abstract readonly owners: readonly Owner[];
  abstract readonly isStrict: boolean;
  abstract readonly modeOf: (run: string) => Mode;
  abstract readonly ruleOf: (run: string) => TakeRule;
  abstract rebalance(): void;
  abstract heartbeat(): void;
  abstract compact(): void;
  abstract readLog(): { log?: ReadonlyArray<{ readonly key: string; readonly record: LeaseRecord }> };
  abstract trainedOf(run: string, units: readonly string[]): TrainedBefore[];
  abstract land(key: string, record: LeaseRecord): void;
  abstract drop(keys: readonly string[], awaited: boolean): void;

  /** Strictly ready order among what was available; groups whole; nothing stale, nothing for ever. */
  checkGrant(r: Grant & { readonly at: number }, read: number): void {
    const run = this.oracle.run(r.run);
    let isPassed = false;
    for (const members of run.units(r.unit)) {
      const free = members.filter(({ offset }) => run.isFree(offset, r.at, read));
      const taken = free.filter(({ offset }) => r.facts.has(offset)).length;
      check(taken === 0 || taken === free.length, 'a group is torn');
      check(!isPassed || taken === 0, 'granted out of ready order');
      if (taken < free.length) isPassed = true;
    }
    const rule = this.ruleOf(r.run);
    for (const offset of r.facts.keys()) {
      check(run.isFree(offset, r.at, read), 'granted, and another version is the one to take, or was taken');
      const key = `${r.run} ${offset}`;
      this.granted.set(key, (this.granted.get(key) ?? 0) + 1);
      check((this.granted.get(key) ?? 0) <= MAX_DELIVERIES, 'delivered more often than max_deliveries');
      if (this.isStrict && rule.atTake !== 'keep') {
        const isBefore = (name: string): boolean => (this.announcedAt.get(name) ?? 0) < r.at;
        check(lagOf(run, run.entries.get(offset), isBefore) <= (rule.maxLag ?? 0), 'granted, and too old');
      }
    }
  }

  /** For the reason that it says. */
  checkReplaced(r: Extract<LeaseRecord, { kind: 'fact' }>, read: number): void {
    const run = this.oracle.run(r.run);
    for (const [offset, { state }] of r.facts)
      if (state === 'replaced') {
        // Written again, where the outcome of the first was unknown.
        const isDue = ['queued', 'replaced'].includes(run.ownState(offset, r.at));
        check(isDue && run.whyReplaced(offset, read) === r.reason, `@${offset} is not ${r.reason}`);
      }
  }

  /** Of one rollout, or of one group that goes whole, a single version; unless a replay was told to train it again. */
  checkVersions(name: string, weights: readonly number[]): void {
    const isByRollout = this.modeOf(name).unit === 'rollout';
    const units = new Map<string, ReadyEntry[]>();
    const firstOf = ({ group }: ReadyEntry): number => this.ready.findIndex((one) => one.group === group);
    for (const offset of weights) {
      const entry = this.ready[offset];
      if (entry !== undefined) units.set(entry.unit, [...(units.get(entry.unit) ?? []), entry]);
    }
    for (const members of units.values())
      for (const newer of members)
        for (const older of members) {
          if (newer.replay === undefined || newer.again === true || older.replay === newer.replay) continue;
          if (older.replay !== undefined && firstOf(older) > firstOf(newer)) continue;
          const isAlone = isByRollout || newer.group.endsWith(`\u0000${newer.rollout}`);
          check(
            isAlone && older.rollout !== newer.rollout,
            `@${older.offset} and @${newer.offset}: two versions of one are trained`,
          );
        }
  }

  /** One answer for all ranks, across takeovers; no entry with two at a time, none that was acked in this history. */
  checkAnswer(job: Job, key: BatchKey, dp: number, answer: LeaseAnswer): void {
    const name = JSON.stringify([job.run, job.lineage, key]);
    const first = this.#told.get(name) ?? answer;
    this.#told.set(name, first);
    check(first.kind !== 'again' || answer.kind === 'again', 'one rank is told "again", another gets a batch');
    check(answer.kind !== 'refused' || first.kind === 'refused', 'one rank gets a batch, another is refused');
    if (answer.kind !== 'leased') return;
    const { lease, deadline, facts } = answer.grant;
    check(first.kind !== 'leased' || first.grant.lease === lease || dp > 0, 'two batches for one index');
    // A late answer may be used; its ack will be judged.
    if (this.jobs.get(job.run) !== job || deadline <= this.now) return;
    for (const offset of facts.keys()) {
      check(!job.acked.has(offset), 'acked, and delivered again in the same history');
      const held = this.#held.get(`${job.run} ${offset}`);
      const isOther = held !== undefined && held.lease !== lease && held.lineage === job.lineage;
      check(!isOther || held.deadline <= this.now, 'two hold one entry at a time');
      this.#held.set(`${job.run} ${offset}`, { lease, lineage: job.lineage ?? -1, deadline });
    }
  }

  /** The first units, as one knows who read everything below `read`, hold too little for the ranks. */
  checkShort(short: ShortStep, q: LeaseRequest | undefined, read: number): void {
    const run = this.oracle.run(q?.run ?? '');
    const isFree = ({ offset }: ReadyEntry): boolean => offset < read && run.isFree(offset, this.now, read);
    const first = run
      .units(q?.unit)
      .filter((members) => members.every(({ offset }) => offset < read))
      .map((members) => members.filter(isFree))
      .filter(({ length }) => length > 0)
      .slice(0, q?.most);
    const found = { ranks: q?.dp, units: q?.most, trajectories: first.flat().length };
    check(first.length === q?.most && found.trajectories < (q?.dp ?? 0), 'too few, it is said, and there are enough');
    check(
      JSON.stringify(found) === JSON.stringify({ ...short, isUnitFixed: undefined }),
      `too few of another size: ${JSON.stringify(short)}`,
    );
  }

  /** It is about to be released. */
  forgetHeld(lease: string): void {
    this.#held = new Map([...this.#held].filter(([, held]) => held.lease !== lease));
  }

  checkShards(got: readonly Leased[], dp: number, trained: readonly number[]): void {
    const [first] = got;
    const micro = got.map(({ grant, rank }) => grant.shards[rank] ?? []);
    if (dp > 0) {
      check(new Set(micro.map((rank) => rank.length)).size === 1, 'unequal micro-batch counts');
      check(
        micro.every((rank) => rank.length > 0 && rank.every((one) => one.length > 0)),
        'an empty micro-batch',
      );
      const sum = (offsets: readonly number[]): number =>
        offsets.reduce((n, at) => n + (this.ready[at]?.tokens ?? 0), 0);
      const load = micro.map((rank) => sum(rank.flat()));
      const largest = Math.max(...micro.flat().map(sum));
      check(Math.max(...load) - Math.min(...load) <= largest, 'shards out of balance');
      const isFull = micro.flat().every((one) => one.length === 1 || sum(one) <= MICRO_TOKENS);
      check(isFull || trained.length < dp * ((micro[0]?.length ?? 0) + 1), 'a micro-batch is too large');
    }
    const all = [...(first?.grant.facts.keys() ?? [])].sort((a, b) => a - b);
    const sorted = [...trained].sort((a, b) => a - b);
    check(JSON.stringify(sorted) === JSON.stringify(all), 'shards overlap or leave something out');
  }

  /** After a rewind or fork the books call `trained` what the restored weights hold, once, and nothing else. */
  checkHistory(name: string, file: CheckpointFile, lineage: number): void {
    const run = this.oracle.run(name);
    check(
      run.lineage === lineage && (run.forked !== null) === (name === 'f'),
      'a rewind or fork was answered that is not in force',
    );
    check(new Set(file.weights).size === file.weights.length, 'a restored checkpoint holds an entry twice');
    check(this.#isTrained(run, file.weights), 'the books and the restored weights differ');
    this.checkVersions(name, file.weights);
  }

  /** What is trained is in these weights; what they hold besides was final before a fork. */
  #isTrained(run: PlainRun, weights: readonly number[]): boolean {
    const trained = [...run.entries.keys()].filter((offset) => run.state(offset, this.now) === 'trained');
    const kept = new Set(weights);
    const known = [...kept].filter((offset) => run.entries.has(offset));
    return (
      trained.length === known.length &&
      trained.every((offset) => kept.has(offset)) &&
      kept.size - known.length === (run.counts.get('trained') ?? 0)
    );
  }

  checkWeights(): void {
    for (const [name, { weights }] of this.jobs) {
      check(new Set(weights).size === weights.length, 'trained twice in the surviving history');
      this.checkVersions(name, weights);
      check(this.#isTrained(this.oracle.run(name), weights), 'weights and books differ at the end');
    }
  }

  /** The owner, whatever it went through, knows what one who read everything knows; and the books balance. */
  checkBooks(): void {
    const { d, task } = this.owner;
    if (!this.isStrict || !this.owners.includes(this.owner) || task !== null) return;
    for (const [name, run] of d.state.runs) {
      const known = this.oracle.run(name);
      run.refresh(this.now);
      const seen = known.accounting(this.now, d.position);
      const own = run.states();
      check(
        JSON.stringify(own) === JSON.stringify(seen),
        `books of ${name}: ${JSON.stringify(own)}, should be ${JSON.stringify(seen)}`,
      );
      const kept = [...known.entries.keys()].filter(
        (at) =>
          at < d.position &&
          known.state(at, this.now, d.position) === 'queued' &&
          !known.isFree(at, this.now, d.position),
      );
      const accepted = seen.trained + seen.leased + seen.queued - kept.length;
      check(run.accepted() === accepted, 'admission not recomputed');
      const heads = [run, known].map(({ lineage, seals, floor, last }) =>
        JSON.stringify([lineage, seals, floor, [...last].sort()]),
      );
      check(heads[0] === heads[1], `head of ${name}: ${heads[0]}, should be ${heads[1]}`);
      check((run.newest()?.ordinal ?? 0) === newestOf(known), `newest weights of ${name}`);
      const broken = run.broken();
      check(broken === null, `kept at hand of ${name}: ${broken}`);
      for (const unit of run.order.units())
        check(
          membersOf(unit).every(({ offset }) => known.entries.has(offset)),
          `an entry of ${name} that nobody made`,
        );
    }
  }

  /** State: of a run one head, and a chunk and a fact at most for each entry that is not final, whatever others do. */
  checkBounds(): void {
    this.#undisturbed((owner) => [...owner.d.state.runs.keys()].map((name) => owner.d.fold(name)));
    const { d } = this.#undisturbed(() => []);
    this.compact();
    this.checkBooks();
    check(this.ready.length - d.state.indexed <= CHUNK, 'a takeover reads more of ready than the last chunk');
    const of = (name: string | null): number =>
      this.log.filter(({ record }) => record !== null && ('run' in record ? record.run : null) === name).length;
    check(of(null) <= 2, 'claims pile up');
    for (const name of d.state.runs.keys()) {
      const run = this.oracle.run(name);
      const whole = run.units();
      const named = new Set(whole.flat().map(({ offset }) => offset));
      const left = new Set(
        [...run.entries.values()].flatMap(({ offset, unit }) =>
          run.isFinal(offset) && named.has(offset) ? [] : [unit],
        ),
      );
      // Of a unit that has several versions all are final, or none.
      const isLive = (unit: readonly ReadyEntry[]): boolean => unit.some((entry) => left.has(entry.unit));
      const live = whole.filter(isLive).reduce((sum, unit) => sum + unit.length, 0);
      const torn = run.entries.size - whole.reduce((sum, unit) => sum + unit.length, 0);
      // A fork in pieces stays as long as one of them.
      const own = run.forked === null ? 1 : 2;
      check(
        of(name) <= own + 2 * (live + torn),
        `${of(name)} records for ${live} entries of ${name} that are not final`,
      );
    }
  }

  /** A new owner takes over and does these tasks, without faults. */
  #undisturbed(tasks: (owner: Owner) => ReadonlyArray<Task<void>>): Owner {
    this.rebalance();
    this.now += SESSION_MS;
    this.heartbeat();
    const { owner } = this;
    if (owner.task !== null) this.#finish(owner.task);
    owner.task = null;
    for (const task of tasks(owner)) this.#finish(task);
    return owner;
  }

  #finish(task: Task<unknown>): void {
    for (let step = task.next({}); step.done !== true; ) {
      const effect = step.value;
      if (effect.kind === 'write') this.land(effect.key, effect.record);
      if (effect.kind === 'drop') this.drop(effect.keys, effect.awaited);
      const trained = effect.kind === 'look_back' ? this.trainedOf(effect.run, effect.units) : [];
      step = task.next(effect.kind === 'read_log' ? this.readLog() : { landed: true, trained });
    }
  }

  /** Nothing that can be trained is left. */
  isIdle(): boolean {
    for (const [name, job] of this.jobs) {
      const run = this.oracle.run(name);
      const { unit, dp, least, tokens } = this.modeOf(name);
      const isWaiting = ({ offset }: ReadyEntry): boolean =>
        run.isFree(offset, this.now) || run.state(offset, this.now) === 'leased';
      const waiting = run
        .units(unit)
        .map((members) => members.filter(isWaiting))
        .filter(({ length }) => length > 0);
      const entries = waiting.flat();
      const size = entries.reduce((sum, one) => sum + one.tokens, 0);
      const isEnough =
        tokens === null ? waiting.length >= (dp > 0 ? dp + 2 : least) : size >= tokens && entries.length >= dp;
      if (job.lineage === null || job.unacked.size > 0 || isEnough) return false;
    }
    return true;
  }
}

function newestOf(run: PlainRun, isTold = (_: string): boolean => true): number {
  const alive = [...run.inherited, ...run.announced].filter(
    ([name, { lineage, step }]) => run.survives(lineage, step) && isTold(name),
  );
  return Math.max(0, ...alive.map(([, { ordinal }]) => ordinal));
}

/** Infinite where it is unknown. */
function lagOf(run: PlainRun, entry: ReadyEntry | undefined, isTold: (name: string) => boolean): number {
  const places = (entry?.versions ?? []).map((name) => {
    const version = run.announced.get(name) ?? run.inherited.get(name);
    return version !== undefined && run.survives(version.lineage, version.step)
      ? version.ordinal
      : Number.NEGATIVE_INFINITY;
  });
  return newestOf(run, isTold) - Math.min(...places);
}
