import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../examples/generate/random.ts';
import { type Answer, type Ask, Refused } from './ask.ts';
import { type Batch, createReadBatch, PACKED } from './batch.ts';
import type { Checkpoint, CheckpointFiles } from './checkpoint-files.ts';

export interface TrainDeps {
  readonly ask: Ask;
  readonly random: Random;
  readonly files: CheckpointFiles;
  readonly run: string;
  /** Ranks of a step lease, all asked for by this process; 0: plain batches. */
  readonly dp: number;
  /** A line of JSON each: what was received, before anything is done with it. */
  readonly received: string;
  /** A file that appears when no more rollouts come: how many of the run are ready. */
  readonly finish: string;
  readonly say: (event: string, facts?: object) => void;
}

const UNITS = 8;
/** When no more come, so that the end is near. */
const LAST_UNITS = 32;
const SAVE_EVERY = 4;
const LEASE_MS = 3_000;
const WAIT_MS = 500;
/** Restores the next older checkpoint: this one holds what no surviving history does. */
const UNUSABLE = new Set(['never_sealed', 'checkpoint_discarded', 'trained_twice', 'forgotten', 'lease_lost']);
const BEGINNING: Checkpoint = { lineage: 0, step: 0, weights: [], tokens: {} };

/** Trains until nothing is left, from the newest checkpoint that can be restored. Rejects with what it was refused. */
export async function train(deps: TrainDeps): Promise<void> {
  const { ask, random, files, run, dp, say } = deps;
  const readBatch = createReadBatch(ask);
  const post = (path: string, body: object): Promise<Answer> => ask('POST', path, body);
  /** So that a kill falls between any two requests. */
  const pause = (): Promise<void> => sleep(random() < 0.02 ? LEASE_MS + 500 : random() * 60);

  async function status(): Promise<Status> {
    return JSON.parse((await ask('GET', `/v1/runs/${run}/delivery`)).body.toString());
  }

  async function restore(): Promise<Checkpoint> {
    for (const checkpoint of [...(await files.read()), BEGINNING]) {
      const { lineage: of, step, tokens } = checkpoint;
      for (;;) {
        const { lineage: expect } = await status();
        try {
          const request = { step, lineage: of, expect, request: randomUUID(), tokens };
          const { lineage } = JSON.parse((await post(`/v1/runs/${run}/rewind`, request)).body.toString());
          say('restored', { of, step, lineage, tokens: Object.keys(tokens).length });
          return { ...checkpoint, lineage, tokens: {} };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          if (error.reason === 'conflict') continue;
          if (!UNUSABLE.has(error.reason)) throw error;
          say('passed over', { of, step, reason: error.reason });
          break;
        }
      }
    }
    throw new Error('not even the beginning can be restored');
  }

  await status().catch(async (error: unknown) => {
    if (!(error instanceof Refused) || error.code !== 'RS_NOT_FOUND') throw error;
    await post('/v1/versions', { run, lineage: 0, step: 0, version: 'step-1' });
  });
  const restored = await restore();
  const { lineage } = restored;
  const [weights, tokens] = [[...restored.weights], new Map(Object.entries(restored.tokens))];
  let step = restored.step;
  const last = (await status()).last.trainer;
  let index = last === undefined ? 0 : last[0] + 1;
  let attempt = 0;

  async function lease(units: number): Promise<Batch | null> {
    const ranks = Math.min(dp, units);
    const common = { run, consumer: 'trainer', lineage, wait_ms: WAIT_MS, lease_ms: LEASE_MS };
    const shards = Array.from({ length: Math.max(1, ranks) }, async (_, rank) => {
      const what =
        dp === 0
          ? { batch_index: index, try: attempt, count: units }
          : { step: step + 1, try: attempt, dp_size: ranks, rank, groups: units, micro_tokens: 120 };
      const answer = await ask('POST', '/v1/leases', { ...common, ...what }, random() < 0.5 ? PACKED : undefined);
      const batch = await readBatch(answer);
      // Before anything is done with it: what a trainer ever saw is what the producer sent.
      for (const { name, digest, unit } of batch?.received ?? [])
        appendFileSync(
          deps.received,
          `${JSON.stringify({ name, digest, unit, lease: batch?.lease, server: answer.server })}\n`,
        );
      return batch;
    });
    return together(await Promise.all(shards));
  }

  /** Slower than the lease, and another consumer takes what ran out: the ack will be refused. It never ends what it took. */
  async function loseIt(): Promise<void> {
    await sleep(LEASE_MS + 500);
    await post('/v1/leases', { run, consumer: `rival-${randomUUID()}`, lineage, batch_index: 0, count: UNITS });
    say('lost to a rival');
  }

  async function save(acked: boolean): Promise<void> {
    await files.save({ lineage, step, weights, tokens: Object.fromEntries(tokens) });
    await pause();
    if (!acked) return;
    await post(`/v1/runs/${run}/checkpoints`, { lineage, step, tokens: Object.fromEntries(tokens) });
    say('sealed');
  }

  for (;;) {
    const left = await leftOf(deps.finish, status);
    if (left === 0) break;
    const batch = await lease(left === null ? UNITS : Math.max(1, Math.min(LAST_UNITS, left)));
    if (batch === null) {
      attempt += 1;
      continue;
    }
    [index, attempt] = [index + 1, 0];
    if (dp === 0 && random() < 0.03) {
      await post(`/v1/leases/${batch.lease}/release`, { lineage });
      continue;
    }
    await pause();
    if (dp === 0 && random() < 0.01) await loseIt();
    step += 1;
    tokens.set(batch.lease, { step, offsets: batch.offsets });
    for (const { name, digest } of batch.received) weights.push([name, digest, step, lineage]);
    // Whether the checkpoint is saved before the ack or after it: both happen in trainers.
    const savesFirst = step % SAVE_EVERY === 0 && random() < 0.5;
    if (savesFirst) {
      await save(false);
      // Seldom hit by chance: what is on disk is known to nobody.
      if (random() < 0.2) {
        say('died before its ack');
        process.kill(process.pid, 'SIGKILL');
      }
    }
    await post(`/v1/leases/${batch.lease}/ack`, { lineage, step, version: `${lineage}.${step}` });
    tokens.delete(batch.lease);
    say('step');
    if (step % SAVE_EVERY === 0) await save(true);
  }
  await save(true);
  say('done', { step, lineage, trained: weights.length });
}

interface Status {
  readonly lineage: number;
  readonly ready_states: Readonly<Record<string, number>>;
  readonly last: Readonly<Record<string, readonly [number, number]>>;
}

/** Units that are left to train, at least; null: more may come. */
async function leftOf(finish: string, status: () => Promise<Status>): Promise<number | null> {
  const ready = await readFile(finish, 'utf8').catch(() => null);
  if (ready === null) return null;
  const states = (await status()).ready_states;
  const ended = Object.entries(states).filter(([state]) => state !== 'queued' && state !== 'leased');
  return Number(ready) - ended.reduce((sum, [, count]) => sum + count, 0);
}

/** Shards of one lease as one batch: the same lease, equally many micro-batches, nothing twice. */
function together(shards: ReadonlyArray<Batch | null>): Batch | null {
  const some = shards.filter((shard) => shard !== null);
  const [first] = some;
  if (first === undefined) return null;
  const same = ({ lease, microBatches }: Batch): boolean =>
    lease === first.lease && microBatches === first.microBatches;
  const received = some.flatMap((shard) => shard.received);
  const offsets = received.map(({ offset }) => offset).sort((a, b) => a - b);
  const isWhole = JSON.stringify(offsets) === JSON.stringify([...first.offsets].sort((a, b) => a - b));
  if (some.length === shards.length && some.every(same) && isWhole) return { ...first, received };
  throw new Error(`shards do not make one batch: ${JSON.stringify(shards)}`);
}
