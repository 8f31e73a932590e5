import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeSteps } from '../../../src/clickhouse/tables/steps.ts';
import { startTypescript } from '../../start-typescript.ts';
import { sampleDecision, sampleStep } from './tables/sample-rows.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const owner = { topic: 't', term: 1 };
const MONTH_US = 31 * 86_400_000_000;

function inserter(rounds: number) {
  const child = startTypescript('./inserting-process.ts', import.meta.url, [folder, String(rounds)]);
  child.stderr.pipe(process.stderr);
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
}

test('kill -9 right after an acknowledged insert loses none of its rows', async () => {
  const { child, lines } = inserter(1_000);
  let acknowledged = 0;
  while (acknowledged < 5) acknowledged = Number((await lines.next()).value);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) acknowledged = Number(line.value);
  const store = await openEmbeddedStore({ folder });
  await store.migrate();
  const [found] = await store.query<{ n: number }>(
    'SELECT uniqExact(offset) AS n FROM rollstream.steps WHERE offset < {n:Int64}',
    { n: acknowledged * 100 },
  );
  expect(found).toEqual({ n: acknowledged * 100 });
  expect(await readdir(join(folder, 'inbox'))).toEqual([]);
  await store.close();
});

test('a folder that another process has open is refused, with who to ask', async () => {
  const { child, lines } = inserter(1);
  await lines.next();
  await expect(openEmbeddedStore({ folder })).rejects.toMatchObject({ code: 'RS_DATA_OWNED' });
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
});

test('an import that spans 500 months goes in with one insert', async () => {
  const store = await openEmbeddedStore({ folder });
  await store.migrate();
  const rows = Array.from({ length: 1_000 }, (_, index) =>
    sampleDecision(index, { rollout_id: `r${index}`, started_at: (index % 500) * MONTH_US }),
  );
  await store.insert(encodeDecisions(rows, owner));
  const [found] = await store.query(
    'SELECT count() AS n, uniqExact(toYYYYMM(event_time)) >= 500 AS months FROM rollstream.decisions FINAL',
  );
  expect(found).toEqual({ n: 1_000, months: 1 });
  await store.close();
});

test('a batch of 100,000 rows goes in whole', async () => {
  const store = await openEmbeddedStore({ folder });
  await store.migrate();
  const event = sampleStep(0).event;
  const rows = Array.from({ length: 100_000 }, (_, offset) => ({
    ...{ event: { ...event, seq: offset, event_id: `e${offset}` }, unit: 'u', partition: 0 },
    ...{ offset, cause: offset, appendedAtMs: 1 },
  }));
  await store.insert(encodeSteps(rows, owner));
  const [found] = await store.query('SELECT count() AS n, sum(offset) AS total FROM rollstream.steps FINAL');
  expect(found).toEqual({ n: 100_000, total: (100_000 * 99_999) / 2 });
  await store.close();
});

test('a path with quotes, spaces and other letters works; one that the engine would expand is refused', async () => {
  const odd = join(folder, "o'dd \\ näme");
  await mkdir(odd);
  const store = await openEmbeddedStore({ folder: odd });
  await store.migrate();
  await store.insert(encodeDecisions([sampleDecision(1)], owner));
  expect(await store.query('SELECT count() AS n FROM rollstream.decisions')).toEqual([{ n: 1 }]);
  await store.close();
  await expect(openEmbeddedStore({ folder: join(folder, 'a*b') })).rejects.toMatchObject({ code: 'RS_CONFIG' });
});

test('failures are told apart: ours, the engine’s, a closed store', async () => {
  const store = await openEmbeddedStore({ folder });
  await store.migrate();
  await expect(
    store.insert({ table: 'nothing', columns: ['a'], rowCount: 1, rowBinary: new Uint8Array(1) }),
  ).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
  await expect(
    store.insert({ table: 'terms', columns: ['topic', 'partition'], rowCount: 1, rowBinary: new Uint8Array([9]) }),
  ).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
  expect(await readdir(join(folder, 'inbox'))).toEqual([]);
  await store.close();
  await store.close();
  await expect(store.query('SELECT 1')).rejects.toMatchObject({ code: 'RS_CLOSED' });
});

test('before migrate() users are refused, and rows survive a restart', async () => {
  const first = await openEmbeddedStore({ folder });
  await expect(first.queryAsReader('SELECT 1', 'JSON')).rejects.toMatchObject({ code: 'RS_QUERY_REFUSED' });
  await first.migrate();
  await first.insert(encodeDecisions([sampleDecision(1)], owner));
  await first.close();
  const second = await openEmbeddedStore({ folder });
  await second.migrate();
  expect(await second.query('SELECT count() AS n FROM rollstream.decisions')).toEqual([{ n: 1 }]);
  await second.close();
});

test('the rows of a failed query are given to nobody', async () => {
  const store = await openEmbeddedStore({ folder });
  try {
    await store.migrate();
    const failing = store.queryAsReader('SELECT number AS secret FROM numbers(100000000)', 'JSONEachRow');
    const next = store.queryAsReader('SELECT 9 AS x', 'JSONEachRow');
    await expect(failing).rejects.toThrow();
    expect(await next).toBe('{"x":9}\n');
  } finally {
    await store.close();
  }
});
