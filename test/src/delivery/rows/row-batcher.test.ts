import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { InsertBatch } from '../../../../src/clickhouse/port.ts';
import { noRows } from '../../../../src/delivery/rows/delivery-rows.ts';
import { createRowBatcher } from '../../../../src/delivery/rows/row-batcher.ts';
import { RollstreamError } from '../../../../src/errors.ts';
import { createRetryOutage } from '../../../../src/lanes/retry-outage.ts';
import { createTestClock } from '../delivery-world.ts';

const log = pino({ level: 'silent' });

function seals(count: number) {
  const row = {
    ...{ run_id: 'run', kind: 'seal' as const, lineage: 0, of_lineage: 0, request: '', parent: '', inherited: 0 },
    ...{ finals: {}, versions: 0, atMs: 0, version: 1n },
  };
  return { ...noRows(), lineages: Array.from({ length: count }, (_, step) => ({ ...row, step })) };
}

/** A store that is told what becomes of each insert. */
function createStage() {
  const clock = createTestClock();
  const inserts: Array<{ readonly batch: InsertBatch; readonly end: (error?: Error) => void }> = [];
  const waits: Array<() => void> = [];
  const outage = createRetryOutage({
    log,
    sleep: () => new Promise((resolve) => waits.push(resolve)),
    ended: new AbortController().signal,
  });
  const rows = createRowBatcher({
    store: {
      insert: (batch) =>
        new Promise((resolve, reject) => {
          inserts.push({ batch, end: (error) => (error === undefined ? resolve() : reject(error)) });
        }),
    },
    ...{ outage, alarm: clock.alarm, inserted: () => undefined },
  });
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, inserts, waits, rows, rest };
}

it('rows of a quarter of a second go together, and those that come meanwhile a second after them', async () => {
  const { clock, inserts, rows, rest } = createStage();
  rows.add(seals(1));
  rows.add(seals(2));
  await rest();
  expect(inserts.length).toBe(0);
  clock.advance(250);
  expect(inserts.map(({ batch }) => batch.rowCount)).toEqual([3]);
  rows.add(seals(5));
  inserts[0]?.end();
  await rest();
  clock.advance(999);
  expect(inserts.map(({ batch }) => batch.rowCount)).toEqual([3]);
  clock.advance(1);
  expect(inserts.map(({ batch }) => batch.rowCount)).toEqual([3, 5]);
});

it('whoever waits for what was added does not wait for that second', async () => {
  const { clock, inserts, rows, rest } = createStage();
  rows.add(seals(1));
  clock.advance(250);
  rows.add(seals(2));
  const flushed = rows.flushed();
  inserts[0]?.end();
  await rest();
  expect(inserts.map(({ batch }) => batch.rowCount)).toEqual([1, 2]);
  inserts[1]?.end();
  await flushed;
});

it('an outage drops nothing and holds nothing up, until 50,000 rows wait', async () => {
  const { clock, inserts, waits, rows, rest } = createStage();
  rows.add(seals(1));
  clock.advance(250);
  inserts[0]?.end(new RollstreamError('RS_STORE_UNREACHABLE', 'gone'));
  await rest();
  let hasRoom = false;
  rows.add(seals(49_998));
  await rows.room();
  rows.add(seals(1));
  const room = rows.room().then(() => {
    hasRoom = true;
  });
  await rest();
  expect(hasRoom).toBe(false);
  waits[0]?.();
  await rest();
  expect(inserts.map(({ batch }) => batch.rowCount)).toEqual([1, 1]);
  inserts[1]?.end();
  await room;
  clock.advance(1_000);
  expect(inserts[2]?.batch.rowCount).toBe(49_999);
  inserts[2]?.end();
  await rows.flushed();
});

it('rows that the store refuses end it: they would be refused again', async () => {
  const { clock, inserts, rows } = createStage();
  rows.add(seals(1));
  clock.advance(250);
  inserts[0]?.end(new RollstreamError('RS_STORE_REFUSED', 'no such table'));
  await expect(rows.failed).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
});
