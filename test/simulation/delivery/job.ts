import type { Dispatcher, Refused } from '../../../processors/delivery/dispatcher.ts';
import type {
  BatchKey,
  BatchTokens,
  DeliveryUnit,
  LeaseAnswer,
  Leased,
  LeaseRequest,
} from '../../../processors/model/delivery.ts';
import type { Task } from '../../../processors/model/delivery-effects.ts';
import { ask, type Steps, type Thread } from './ask.ts';
import { check } from './violation.ts';
import type { World } from './world.ts';

/** How a run's trainer takes: processes of a replica, ranks of a step lease (0: none), fewest units, or tokens of a step. */
export interface Mode {
  readonly unit: DeliveryUnit;
  readonly processes: number;
  readonly dp: number;
  readonly least: number;
  readonly tokens: number | null;
}

/** A checkpoint as the trainer has it. */
export interface CheckpointFile {
  readonly lineage: number;
  readonly step: number;
  readonly weights: readonly number[];
  readonly tokens: BatchTokens | null;
  /** Weights that its own came from. */
  readonly history: ReadonlySet<string>;
}

/** An incarnation of a trainer ends: replaced, or refused what it cannot go on without. */
export class Died extends Error {
  override readonly name = 'Died';
}

export const LEASE_MS = 8;
export const MICRO_TOKENS = 12;

export const isRefused = (answer: unknown): answer is Refused =>
  typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'refused';

/** One incarnation of a run's trainer, a few processes that share its weights: the list of what was trained into them. */
export class Job {
  threads: Thread[] = [];
  /** null: it has not restored yet. */
  lineage: number | null = null;
  step = 0;
  weights: number[] = [];
  history = new Set<string>();
  readonly acked = new Set<number>();
  readonly unacked = new Map<string, { readonly step: number; readonly offsets: readonly number[] }>();
  #isSaving = false;
  #savedAt = 0;

  constructor(
    readonly world: World,
    readonly run: string,
    start: { readonly file: CheckpointFile; readonly lineage: number } | null,
  ) {
    if (start === null) this.spawn(this.restore());
    else this.start(start.file, start.lineage);
  }

  spawn(steps: Steps): void {
    this.threads.push({ steps, query: null });
  }

  start(file: CheckpointFile, lineage: number): void {
    this.lineage = lineage;
    this.step = file.step;
    this.#savedAt = file.step;
    this.weights = [...file.weights];
    this.history = new Set(file.history);
    for (const offset of file.weights) this.acked.add(offset);
    const mode = this.world.modeOf(this.run);
    for (const name of mode.dp > 0 ? ['step'] : ['t0', 't1']) this.spawn(this.train(name, mode));
  }

  *ask<T>(task: (d: Dispatcher) => Task<T>): Steps<T> {
    const answer = yield* ask(task);
    for (const one of Array.isArray(answer) ? answer : [answer])
      if (isRefused(one) && one.reason === 'discarded_lineage') {
        check(this.world.jobs.get(this.run) !== this, 'a trainer that nobody replaced is fenced off');
        throw new Died();
      }
    return answer;
  }

  *restore(): Steps {
    const { world, run } = this;
    for (;;) {
      const files = world.filesOf(run);
      if (files.length === 0 && world.mayForget) {
        // It never sealed, and was told that it cannot go back.
        world.jobs.delete(run);
        throw new Died();
      }
      check(files.length > 0, 'no checkpoint can be restored');
      const expect = yield* this.ask(function* lineage(d) {
        d.confirm();
        yield* d.drop([], false);
        return d.view(run)?.lineage ?? 0;
      });
      const file = world.rng.pick(files.slice(-3));
      const request = world.unique();
      const { lineage, step, tokens } = file;
      const answer = yield* this.ask((d) => d.rewind(run, { of: { lineage, step }, tokens, expect, request }));
      if (!isRefused(answer)) {
        world.checkHistory(run, file, answer);
        this.start(file, answer);
        return;
      }
      if (answer.reason !== 'conflict')
        world.files.set(
          run,
          world.filesOf(run).filter((one) => one !== file),
        );
    }
  }

  request(key: BatchKey, rank: number, { unit, dp, least, tokens }: Mode): LeaseRequest {
    const { world, run } = this;
    const most = asksForFew(key, { unit, dp, tokens }) ? 1 : dp > 0 ? dp + 2 : 2;
    const size = { most, least: dp > 0 ? most : least, tokens, microTokens: MICRO_TOKENS };
    const by = { run, lineage: this.lineage ?? -1, consumer: 't', key, unit, dp, rank };
    return { ...by, ...size, leaseMs: LEASE_MS, rule: world.ruleOf(run), waitedMs: 0 };
  }

  *lease(key: BatchKey, rank: number, mode: Mode): Steps<LeaseAnswer> {
    const { world } = this;
    for (;;) {
      const mayWait = !world.draining && world.rng.chance(0.2);
      const q = this.request(key, rank, mode);
      const answer = yield* this.ask((d) => judged(d, world, [q], d.lease(q, mayWait)));
      check(mayWait || answer.kind !== 'pending', 'told to wait who did not want to');
      if (answer.kind !== 'pending') return answer;
    }
  }

  /** All of them in one look, between one that never finds enough and has its own key. */
  *leases(key: BatchKey, mode: Mode): Steps<LeaseAnswer[]> {
    const [name, index, attempt] = key;
    const alone = { ...this.request([`${name} idle`, index, attempt], 0, mode), dp: 0, tokens: null };
    const idle = { ...alone, most: 1_000_000, least: 1_000_000 };
    const ranks = Array.from({ length: mode.processes }, (_, rank) => this.request(key, rank, mode));
    const all = [idle, ...ranks];
    const [first, ...others] = yield* this.ask((d) => judged(d, this.world, all, d.lastLooks(this.run, all)));
    check(first?.kind === 'again', 'one who finds too little is not told so');
    return others;
  }

  *train(name: string, mode: Mode): Steps {
    const { world, run } = this;
    const { rng } = world;
    for (let [index, attempt] = [0, 0]; ; ) {
      const key: BatchKey = [name, index, attempt];
      const got: Leased[] = [];
      const together = world.asksTogether ? yield* this.leases(key, mode) : [];
      for (let rank = 0; rank < mode.processes; rank++) {
        const answer = together[rank] ?? (yield* this.lease(key, rank, mode));
        const isTooFew = answer.kind === 'refused' && answer.reason === 'too_few' && asksForFew(key, mode);
        check(answer.kind !== 'refused' || isTooFew, `a lease is refused: ${JSON.stringify(answer)}`);
        world.checkAnswer(this, key, mode.dp, answer);
        if (answer.kind === 'leased') got.push(answer);
      }
      const [first] = got;
      if (first === undefined || got.length < mode.processes) {
        attempt += 1;
        continue;
      }
      [index, attempt] = [index + 1, 0];
      const { lease, facts } = first.grant;
      const offsets = [...facts.keys()];
      const trained = mode.dp > 0 ? got.flatMap(({ grant, rank }) => grant.shards[rank]?.flat() ?? []) : offsets;
      world.checkShards(got, mode.dp, trained);
      const lineage = this.lineage ?? -1;
      const said = { lease, lineage, reason: '', version: null, match: null };
      if (rng.chance(0.1) && !world.draining) {
        world.forgetHeld(lease);
        const state = rng.pick(['queued', 'trainer_rejected'] as const);
        yield* this.ask((d) => d.end(run, { ...said, state, step: 0 }));
        continue;
      }
      if (rng.chance(0.2)) yield* this.ask((d) => d.extend(run, lineage, lease, world.now + LEASE_MS));
      // The optimizer step.
      this.step += 1;
      const { step } = this;
      this.weights.push(...trained);
      this.unacked.set(lease, { step, offsets });
      const isOurs = trained.every((offset) => world.madeBy(offset).every((made) => this.history.has(made)));
      check(isOurs, 'trained on what weights made that are no more');
      world.announce(this);
      if (rng.chance(0.15)) yield* this.save();
      if (this.unacked.has(lease)) {
        const answer = yield* this.ask((d) => d.end(run, { ...said, state: 'trained', step }));
        // The lease stays among the tokens, so that no seal takes it in.
        if (isRefused(answer) && this.unacked.has(lease)) throw new Died();
        this.settle(lease);
      }
      if (rng.chance(0.25)) yield* this.save();
    }
  }

  settle(lease: string): void {
    for (const offset of this.unacked.get(lease)?.offsets ?? []) {
      check(!this.acked.has(offset), 'acked twice in one history');
      this.acked.add(offset);
    }
    this.unacked.delete(lease);
    this.world.checkVersions(this.run, [...this.acked]);
  }

  /** Writes the checkpoint, seals it; the next one only after the answer. */
  *save(): Steps {
    const { world, run, step } = this;
    if (this.#isSaving || this.#savedAt === step) return;
    this.#isSaving = true;
    this.#savedAt = step;
    const lineage = this.lineage ?? -1;
    const tokens = new Map(this.unacked);
    const file = { lineage, step, weights: [...this.weights], tokens, history: new Set(this.history) };
    world.files.set(run, [...world.filesOf(run), file]);
    if (world.neverSeals) {
      this.#isSaving = false;
      return;
    }
    if (isRefused(yield* this.ask((d) => d.seal(run, { lineage, step, tokens })))) throw new Died();
    this.#isSaving = false;
    check(new Set(file.weights).size === file.weights.length, 'a sealed checkpoint holds an entry twice');
    for (const lease of tokens.keys()) this.settle(lease);
  }
}

/** Ranks that ask for a single group have too few trajectories as long as a small one comes first: with the next try they ask for more. */
function asksForFew([, index, attempt]: BatchKey, { unit, dp, tokens }: Pick<Mode, 'unit' | 'dp' | 'tokens'>): boolean {
  return unit === 'group' && dp > 0 && tokens === null && index % 2 === 1 && attempt === 0;
}

/** What is refused is looked at as it is decided. */
function* judged<T extends LeaseAnswer | LeaseAnswer[]>(
  d: Dispatcher,
  world: World,
  requests: readonly LeaseRequest[],
  task: Task<T>,
): Task<T> {
  const answer = yield* task;
  for (const one of [answer].flat())
    if (one.kind === 'refused' && one.short !== undefined) world.checkShort(one.short, requests.at(-1), d.position);
  return answer;
}
