import { expect, it } from 'vitest';
import type { FramedRecord } from '../../../../src/access/record-frames.ts';
import { RollstreamError } from '../../../../src/errors.ts';
import type { IngestBody } from '../../../../src/ingest/http/ingest.ts';
import { createIngestBudget } from '../../../../src/ingest/http/ingest-budget.ts';
import { readJsonSteps } from '../../../../src/ingest/http/read-json-steps.ts';
import { EVERY_RUN, type SenderRuns } from '../../../../src/ingest/http/run-check.ts';
import { createRunLimits, type RunLimits } from '../../../../src/ingest/http/run-limits.ts';
import { createOpenStepEncoder } from '../../../../src/ingest/http/step-encoder.ts';
import { takeBody } from '../../../../src/ingest/http/take-body.ts';
import { readLines } from '../../../../src/ingest/line-reader.ts';
import type { RunQuota } from '../../../../src/runs/quota.ts';
import { linesOf } from './ingest-server.ts';

const encoder = await createOpenStepEncoder({ register: async () => 7 })();
const FREE: RunQuota = { eventsPerSecond: null, inFlightBytes: null };
const NOT_MINE = new RollstreamError('RS_FORBIDDEN', 'not yours', { facts: { field: 'run_id' } });
/** A sender whose only run is `mine`. */
const ofMine: SenderRuns = { only: null, refusal: (run) => (run === 'mine' ? null : NOT_MINE) };

function limitsOf(quotas: Readonly<Record<string, Partial<RunQuota>>>): RunLimits {
  const of = (run: string): RunQuota => ({ ...FREE, ...quotas[run] });
  return createRunLimits({ of, refuseClosed: () => undefined }, () => 0);
}

const said = (run: string, n: number) => ({
  ...{ run_id: run, rollout_id: `o${n}`, kind: 'message', seq: 1 },
  message: { role: 'user', parts_json: '"x"' },
});

function world(sender: SenderRuns = EVERY_RUN, runLimits = limitsOf({})) {
  const taken: string[] = [];
  const letters: FramedRecord[] = [];
  const target = {
    appendSteps: async (records: readonly FramedRecord[]) => void taken.push(...records.map(({ key }) => String(key))),
    appendDeadLetters: async (more: readonly FramedRecord[]) => void letters.push(...more),
  };
  const budget = createIngestBudget(64 * 2 ** 20);
  const take = (events: readonly unknown[], chunks: AsyncIterable<Uint8Array> = once(linesOf(events))) => {
    const body: IngestBody = { contentType: '', contentEncoding: '', contentLength: null, chunks };
    const read = (bytes: AsyncIterable<Buffer>) => readJsonSteps(readLines(bytes), encoder);
    return takeBody(body, { target, budget, runLimits, sender, limitBytes: 64 * 2 ** 20, read });
  };
  return { taken, letters, take };
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

it('of a body that mixes runs those of the sender are taken; the others are named by place and kept nowhere', async () => {
  const { take, taken, letters } = world(ofMine);
  const result = await take([said('mine', 0), said('other', 1), said('mine', 2), { ...said('mine', 3), seq: 'x' }]);
  expect(result).toMatchObject({ accepted: 2, refusedCount: 2, error: null });
  expect(taken).toEqual(['mine/0/r/o0', 'mine/0/r/o2']);
  expect(result.refused).toMatchObject([
    { index: 1, field: 'run_id', got: 'other', code: 'RS_FORBIDDEN' },
    { index: 3, field: 'seq' },
  ]);
  // What the sender may write and is wrong is kept for its run.
  expect(letters.map(({ headers }) => headers.index)).toEqual(['3']);
  expect([...result.tally.runs]).toEqual([['mine', { accepted: 2, refused: 1, limited: '' }]]);
  expect(result.tally.forbidden()).toBe(1);
});

it('a record of another run that is wrong besides is answered as any other of that run', async () => {
  const { take, letters } = world(ofMine);
  const result = await take([{ ...said('other', 0), seq: 'x' }, { run_id: 'other' }, said('other', 1)]);
  expect(result).toMatchObject({ accepted: 0, refusedCount: 3, error: NOT_MINE });
  expect(new Set(result.refused.map(({ field, message }) => `${field}: ${message}`))).toEqual(
    new Set(['run_id: not yours']),
  );
  expect(letters).toEqual([]);
});

it('a run id that is written as a number is the run of that name', async () => {
  const { take } = world({ only: null, refusal: (run) => (run === '7' ? NOT_MINE : null) });
  expect(
    await take([
      { ...said('', 0), run_id: 7 },
      { ...said('', 0), run_id: 7, seq: 'x' },
    ]),
  ).toMatchObject({
    ...{ accepted: 0, refusedCount: 2, error: NOT_MINE },
  });
});

it('where a run is over its quota, what came before is durable and counted', async () => {
  const limits = limitsOf({ noisy: { eventsPerSecond: 1 } });
  const before = world(EVERY_RUN, limits);
  // The second is overdrawn, and is taken: its body had begun.
  expect(await before.take([said('noisy', 0), said('noisy', 1)])).toMatchObject({ accepted: 2, error: null });
  const { take, taken } = world(EVERY_RUN, limits);
  const result = await take([said('quiet', 0), said('quiet', 1), said('noisy', 2), said('quiet', 3)]);
  expect(result).toMatchObject({
    ...{ accepted: 2, refusedCount: 0 },
    error: { code: 'RS_RUN_QUOTA', facts: { run: 'noisy', retry_after: 2, reason: 'events_per_second' } },
  });
  expect(taken).toEqual(['quiet/0/r/o0', 'quiet/0/r/o1']);
  expect(result.tally.runs.get('noisy')).toEqual({ accepted: 0, refused: 0, limited: 'events_per_second' });
});

it('while bodies of a run are being read they hold its bytes, and give them back whatever ends them', async () => {
  const limits = limitsOf({ noisy: { inFlightBytes: 4 * 2 ** 20 } });
  let cut = (): void => undefined;
  const broken = new Promise<void>((resolve) => {
    cut = resolve;
  });
  async function* slow(): AsyncGenerator<Buffer> {
    yield Buffer.from(linesOf([said('noisy', 0)]).repeat(300));
    await broken;
    throw new Error('socket hang up');
  }
  const { take } = world(EVERY_RUN, limits);
  const first = take([], slow());
  await new Promise((resolve) => setImmediate(resolve));
  expect(await take([said('noisy', 1)])).toMatchObject({
    ...{ accepted: 0, error: { code: 'RS_RUN_QUOTA', facts: { run: 'noisy', reason: 'in_flight' } } },
  });
  expect(await take([said('quiet', 1)])).toMatchObject({ accepted: 1, error: null });
  cut();
  expect((await first).accepted).toBe(300);
  expect(await take([said('noisy', 1)])).toMatchObject({ accepted: 1, error: null });
});

it('who may write to one run alone is refused before anything shared is taken', async () => {
  const limits = limitsOf({ mine: { inFlightBytes: 1 } });
  const held = limits.begin();
  held.reserve('mine', 1);
  const { take } = world({ ...ofMine, only: 'mine' }, limits);
  let isRead = false;
  async function* never(): AsyncGenerator<Buffer> {
    isRead = true;
    yield Buffer.from('');
  }
  expect(await take([], never())).toMatchObject({ accepted: 0, error: { code: 'RS_RUN_QUOTA' } });
  expect(isRead).toBe(false);
});
