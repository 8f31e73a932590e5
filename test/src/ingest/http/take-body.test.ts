import { describe, expect, it } from 'vitest';
import type { FramedRecord } from '../../../../src/access/record-frames.ts';
import { RollstreamError } from '../../../../src/errors.ts';
import type { IngestBody } from '../../../../src/ingest/http/ingest.ts';
import { createIngestBudget } from '../../../../src/ingest/http/ingest-budget.ts';
import { readJsonSteps } from '../../../../src/ingest/http/read-json-steps.ts';
import { EVERY_RUN } from '../../../../src/ingest/http/run-check.ts';
import { createRunLimits } from '../../../../src/ingest/http/run-limits.ts';
import { createOpenStepEncoder } from '../../../../src/ingest/http/step-encoder.ts';
import { takeBody } from '../../../../src/ingest/http/take-body.ts';
import { readLines } from '../../../../src/ingest/line-reader.ts';
import { sameForAll } from '../../../../src/runs/quota.ts';
import { linesOf } from './ingest-server.ts';

const MB = 2 ** 20;
const LIMIT_BYTES = 2 * MB;
const FREE = sameForAll({ eventsPerSecond: null, inFlightBytes: null });
const outage = new RollstreamError('RS_BROKER_UNREACHABLE', 'nobody answers');

/** A log that takes records up to a size, and nothing more after so many appends. */
function logOf(appends = Number.POSITIVE_INFINITY) {
  const taken: FramedRecord[][] = [];
  const letters: FramedRecord[] = [];
  return {
    taken,
    letters,
    async appendSteps(records: readonly FramedRecord[]) {
      const large = records.find(({ value }) => value.length > LIMIT_BYTES);
      if (large !== undefined) {
        const facts = { limit: LIMIT_BYTES, bytes: large.value.length };
        throw new RollstreamError('RS_RECORD_TOO_LARGE', 'too large', { facts });
      }
      if (taken.length >= appends) throw outage;
      taken.push([...records]);
    },
    async appendDeadLetters(more: readonly FramedRecord[]) {
      letters.push(...more);
    },
  };
}

const encoder = await createOpenStepEncoder({ register: async () => 7 })();
const message = (n: number, characters: number) => ({
  ...{ run_id: 'r', rollout_id: `m${n}`, kind: 'message', seq: 1, event_id: `e${n}` },
  message: { role: 'user', parts_json: JSON.stringify('x'.repeat(characters)) },
});

function take(text: string, log: ReturnType<typeof logOf>, fails = false) {
  async function* chunks(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
    if (fails) throw new Error('socket hang up');
  }
  const body: IngestBody = { contentType: '', contentEncoding: '', contentLength: null, chunks: chunks() };
  const budget = createIngestBudget(64 * MB);
  return takeBody(body, {
    ...{ target: log, budget, sender: EVERY_RUN, runLimits: createRunLimits(FREE, () => 0), limitBytes: 64 * MB },
    read: (read) => readJsonSteps(readLines(read), encoder),
  });
}

describe('in an outage', () => {
  it('what was durable before is counted, and nothing after it is claimed', async () => {
    const log = logOf(2);
    const result = await take(linesOf(Array.from({ length: 40 }, (_, n) => message(n, 100_000))), log);
    expect(result.error).toBe(outage);
    expect(result.accepted).toBe(log.taken.flat().length);
    expect(result.accepted).toBeGreaterThan(0);
    expect(result.accepted).toBeLessThan(40);
  });

  it('that comes with a torn body, it is the outage that is told: the same can be sent again', async () => {
    const result = await take(linesOf([message(0, 10)]), logOf(0), true);
    expect(result).toMatchObject({ accepted: 0, error: outage });
  });
});

it('the connection breaks off: what was whole is taken, and it is told from which record on nothing was read', async () => {
  const log = logOf();
  const result = await take(`${linesOf([message(0, 10), message(1, 10)])}{"run_id":"r"`, log, true);
  expect(result).toMatchObject({ accepted: 2, refusedCount: 0 });
  expect(result.error).toMatchObject({
    ...{ code: 'RS_USAGE', facts: { record: 2 } },
    message: 'the connection ended within the body; nothing was read from record 2 on',
  });
  expect(log.taken.flat()).toHaveLength(2);
});

it('a record that the log does not take is refused by name, and those around it are in their order', async () => {
  const log = logOf();
  const result = await take(linesOf([message(0, 10), message(1, 3 * MB), message(2, 10)]), log);
  expect(result).toMatchObject({ accepted: 2, refusedCount: 1, error: null });
  expect(result.refused).toMatchObject([{ index: 1, expected: `at most ${LIMIT_BYTES} bytes` }]);
  expect(log.taken.flat().map(({ key }) => key)).toEqual(['r/0/r/m0', 'r/0/r/m2']);
  expect(log.letters).toHaveLength(1);
});

it('of what is refused, texts of any length are told short and can be written down', async () => {
  const log = logOf();
  const key = `${'k'.repeat(100_000)}\ud83d`;
  const { refused } = await take(linesOf([{ ...message(0, 10), [key]: 1 }]), log);
  const [first] = refused;
  expect(first?.field.length).toBeLessThan(400);
  for (const text of Object.values(log.letters[0]?.headers ?? {})) {
    expect(text.length).toBeLessThan(400);
    expect(text.isWellFormed()).toBe(true);
  }
});

it('a thousand refused records are named, all of them counted and kept once', async () => {
  const log = logOf();
  const result = await take(linesOf(Array.from({ length: 3_000 }, (_, n) => `no ${n % 1_500}`)), log);
  expect(result).toMatchObject({ accepted: 0, refusedCount: 3_000 });
  expect(result.refused).toHaveLength(1_000);
  expect(new Set(log.letters.map(({ key }) => key)).size).toBe(1_500);
});
