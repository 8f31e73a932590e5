import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readAccounting } from '../../src/clickhouse/accounting.ts';
import { lookupDecisions } from '../../src/clickhouse/decisions-lookup.ts';
import { lookupOpenAttempts } from '../../src/clickhouse/open-attempts-lookup.ts';
import type { QueryParams, Store } from '../../src/clickhouse/port.ts';
import { encodeAttempts } from '../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../src/clickhouse/tables/lanes.ts';
import { encodeRuns } from '../../src/clickhouse/tables/runs.ts';
import { encodeSteps } from '../../src/clickhouse/tables/steps.ts';
import { encodeTerms } from '../../src/clickhouse/tables/terms.ts';
import { readTerms } from '../../src/clickhouse/terms-lookup.ts';
import { listRuns } from '../../src/runs/list-runs.ts';
import { countRunRows } from '../../src/runs/run-tables.ts';
import { newRunRow } from '../../src/runs/write-run.ts';
import { type EventColumns, eventOfRow, eventSelect } from '../src/clickhouse/tables/event-of-row.ts';
import { sampleEvents } from '../src/clickhouse/tables/sample-events.ts';
import { sampleDecision, sampleStep } from '../src/clickhouse/tables/sample-rows.ts';

/** One store to test, not migrated yet. Each test has a topic and a run of its own. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly cleanup: () => Promise<void>;
}

const MONTH_US = 31 * 86_400_000_000;

/** What every adapter of the Store port promises. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the contract of a store:`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let run = '';
    let owner = { topic: '', term: 1 };
    beforeAll(async () => {
      under = await open();
      store = under.store;
      await expect(store.queryAsReader('SELECT 1', 'JSON')).rejects.toMatchObject({ code: 'RS_QUERY_REFUSED' });
      await store.migrate();
    });
    afterAll(() => under.cleanup());
    beforeEach(() => {
      run = `run-${randomUUID()}`;
      owner = { topic: `topic-${randomUUID()}`, term: 1 };
    });

    test('migrating again changes nothing', async () => {
      const applied = () => store.query('SELECT name, sha256 FROM rollstream.migrations ORDER BY name, applied_at');
      const before = await applied();
      expect(before.length).toBeGreaterThan(0);
      await store.migrate();
      expect(await applied()).toEqual(before);
    });

    test('what a run has is removed from the tables that are named, and of no other run; what comes later stays', async () => {
      const other = `${run}'s`;
      const steps = (of: string) => encodeSteps([sampleStep(0, { run_id: of }), sampleStep(1, { run_id: of })], owner);
      for (const of of [run, other]) await store.insert(steps(of));
      await store.insert(encodeRuns([{ ...newRunRow(other, 1), note: 'kept', version: 1 }]));
      const counts = async () => [
        await countRunRows(store, ['steps'], run),
        await countRunRows(store, ['steps'], other),
      ];
      await store.removeRun(['attempts', 'steps'], run);
      expect(await counts()).toEqual([{}, { steps: 2 }]);
      await store.removeRun(['steps'], other);
      await store.insert(steps(run));
      expect(await counts()).toEqual([{ steps: 2 }, {}]);
      expect(await listRuns(store, other)).toMatchObject([{ run_id: other, declared: true, note: 'kept', started: 0 }]);
    });

    test('every field of any event survives, to the bit', async () => {
      const rows = sampleEvents({ count: 150, seed: 11 }).map((event, offset) => ({
        ...{ event: { ...event, rollout_id: `${event.rollout_id}${offset}` }, unit: 'u', partition: 0 },
        ...{ offset, cause: offset, appendedAtMs: 5 },
      }));
      await store.insert(encodeSteps(rows, owner));
      const found = await store.query<EventColumns>(
        `SELECT ${eventSelect} FROM rollstream.steps FINAL WHERE topic = {topic:String} ORDER BY offset`,
        { topic: owner.topic },
      );
      expect(found.map(eventOfRow)).toEqual(rows.map(({ event }) => event));
    });

    test('the same rows again are the same rows', async () => {
      const rows = Array.from({ length: 50 }, (_, seq) => sampleStep(seq, { run_id: run, seq }));
      await store.insert(encodeSteps(rows, owner));
      await store.insert(encodeSteps(rows, owner));
      const found = await store.query('SELECT count() AS n FROM rollstream.steps FINAL WHERE run_id = {run:String}', {
        run,
      });
      expect(found).toEqual([{ n: 50 }]);
    });

    test('a large batch over many months goes in whole, an empty one is none', async () => {
      const rows = Array.from({ length: 5_000 }, (_, index) =>
        sampleDecision(index, {
          ...{ run_id: run, rollout_id: `r${index}`, unit: `${run}/0/r/r${index}` },
          started_at: (index % 120) * MONTH_US,
        }),
      );
      await store.insert(encodeDecisions(rows, owner));
      await store.insert({ table: 'no_such_table', columns: [], rowCount: 0, rowBinary: new Uint8Array() });
      const found = await store.query(
        `SELECT count() AS n, sum(offset) AS total, uniqExact(toYYYYMM(event_time)) > 100 AS months
         FROM rollstream.decisions FINAL WHERE run_id = {run:String}`,
        { run },
      );
      expect(found).toEqual([{ n: 5_000, total: (5_000 * 4_999) / 2, months: 1 }]);
    });

    test('decisions of thousands of units are looked up at once, odd names and unknown ones among them', async () => {
      const units = Array.from({ length: 4_000 }, (_, index) => `${run}/0/g/it's-${index}-${'%C3%A4'.repeat(6)}`);
      const decided = units.filter((_, index) => index % 1_000 === 7);
      const rows = decided.map((unit, index) => sampleDecision(index, { run_id: run, unit }));
      await store.insert(encodeDecisions(rows, owner));
      const found = await lookupDecisions(
        store,
        units.map((unit) => ({ run_id: run, unit })),
      );
      expect([...found.keys()].sort()).toEqual(decided.sort());
      expect(found.get(decided[0] ?? '')).toMatchObject([{ topic: owner.topic, term: 1, reward: 1 }]);
    });

    test('terms are read in order', async () => {
      for (const term of [3, 1, 2]) {
        await store.insert(encodeTerms([{ partition: 0, restored: term * 10 }], { ...owner, term }));
      }
      expect(await readTerms(store, owner.topic, 0)).toEqual([
        { term: 1, restored: 10 },
        { term: 2, restored: 20 },
        { term: 3, restored: 30 },
      ]);
    });

    test('the books balance, and do not without a decision', async () => {
      await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
      const attempt = (rollout_id: string, offset: number) =>
        sampleStep(offset, { run_id: run, rollout_id, start: {} });
      await store.insert(encodeAttempts([attempt('a', 0), attempt('b', 1)], owner));
      const decision = (rollout_id: string, offset: number, disposition: 'train' | 'drop') =>
        sampleDecision(offset, { run_id: run, unit: `${run}/0/r/${rollout_id}`, rollout_id, disposition });
      await store.insert(encodeDecisions([decision('a', 2, 'train')], owner));
      await store.insert(encodeLanes([{ partition: 0, frontier: 10, watermark: 10, open: [] }], owner));
      const books = async () => (await readAccounting(store, { runId: run })).runs[0];
      expect(await books()).toMatchObject({ started: 2, ready: 1, balanced: false });
      await store.insert(encodeDecisions([decision('b', 3, 'drop')], owner));
      expect(await books()).toMatchObject({
        ...{ started: 2, ready: 1, rejected: { task_complete: 1 }, balanced: true },
      });
    });

    test('parameters of every kind arrive as they were', async () => {
      const text = 'tab\t line\nquote\' back\\slash "double" `tick` {x:String} ü 🙂 \r end';
      const params: QueryParams = {
        ...{ text, empty: '', integer: -7, real: 0.1, yes: true, nothing: null },
        ...{ texts: [text, '', "'"], integers: [1, 2 ** 32], none: [] },
      };
      const found = await store.query(
        `SELECT {text:String} AS text, {empty:String} AS empty, {integer:Int32} AS integer, {real:Float64} AS real,
           {yes:Bool} AS yes, {nothing:Nullable(String)} AS nothing, {texts:Array(String)} AS texts,
           {integers:Array(Int64)} AS integers, {none:Array(String)} AS none`,
        params,
      );
      expect(found).toEqual([params]);
    });

    test('any text is a parameter', async () => {
      const anyText = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\0'));
      const texts = fc.sample(anyText, { numRuns: 60, seed: 3 });
      const found = await store.query('SELECT {texts:Array(String)} AS texts', { texts });
      expect(found).toEqual([{ texts }]);
    });

    test('integers are numbers, NaN is null, a lone surrogate stays one', async () => {
      const found = await store.query("SELECT 9007199254740991 AS n, nan AS x, unhex('61EDA080') AS s");
      expect(found).toEqual([{ n: 2 ** 53 - 1, x: null, s: 'a\ud800' }]);
    });

    test('users read in every format, in the database, with parameters', async () => {
      const ask = (format: 'JSONEachRow' | 'JSON' | 'CSVWithNames') =>
        store.queryAsReader('SELECT toUInt64({a:UInt8}) AS a, NULL AS b', format, { a: 1 });
      expect(await ask('JSONEachRow')).toBe('{"a":1,"b":null}\n');
      expect(await ask('CSVWithNames')).toBe('"a","b"\n1,\\N\n');
      expect(JSON.parse(await ask('JSON'))).toMatchObject({ data: [{ a: 1, b: null }], rows: 1 });
      expect(await store.queryAsReader('SELECT count() >= 0 AS x FROM decisions', 'JSONEachRow')).toBe('{"x":1}\n');
    });

    test.each([
      ["INSERT INTO rollstream.documents (id) VALUES ('x')", 'RS_QUERY_REFUSED'],
      ['DROP TABLE rollstream.steps', 'RS_QUERY_REFUSED'],
      ["SELECT * FROM file('/etc/passwd', 'LineAsString')", 'RS_QUERY_REFUSED'],
      ['SELECT 1 SETTINGS readonly = 0', 'RS_QUERY_REFUSED'],
      ['SELECT 1; SELECT 2', 'RS_QUERY_REFUSED'],
      ['SELECT nothing FROM rollstream.steps', 'RS_QUERY_FAILED'],
      ['SELECT', 'RS_QUERY_FAILED'],
      ['SELECT number FROM numbers(1000001)', 'RS_QUERY_FAILED'],
    ])('users do not get: %s', async (sql, code) => {
      await expect(store.queryAsReader(sql, 'JSONEachRow')).rejects.toMatchObject({ code });
    });

    test('what is wrong for good says so', async () => {
      const refused = { code: 'RS_STORE_REFUSED', retriable: false };
      const batch = { columns: ['a'], rowCount: 1, rowBinary: new Uint8Array(1) };
      await expect(store.insert({ ...batch, table: 'nothing' })).rejects.toMatchObject(refused);
      await expect(store.insert({ ...batch, table: 'terms', columns: ['topic', 'nope'] })).rejects.toMatchObject(
        refused,
      );
      const torn = { table: 'terms', columns: ['topic', 'partition'], rowCount: 1, rowBinary: new Uint8Array([9]) };
      await expect(store.insert(torn)).rejects.toMatchObject(refused);
      await expect(store.query('SELEC 1')).rejects.toMatchObject(refused);
    });

    test('attempts that were open at a frontier are those without a decision that counts there', async () => {
      const of = (rollout_id: string, attempt = 0) => ({ run_id: run, rollout_id, attempt });
      await store.insert(
        encodeAttempts(
          [
            sampleStep(1, of('a')),
            sampleStep(2, of('b')),
            sampleStep(3, of('c')),
            sampleStep(4, of('e')),
            sampleStep(12, of('d')),
          ],
          owner,
        ),
      );
      const decided = (offset: number, rollout_id: string) => {
        const unit = `${run}/0/r/${rollout_id}`;
        return sampleDecision(offset, { ...of(rollout_id), unit });
      };
      // That of c, and d itself, are of a cut that was never committed: the next term was restored at 10.
      await store.insert(encodeDecisions([decided(5, 'b'), decided(12, 'c')], owner));
      await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
      const second = { ...owner, term: 2 };
      await store.insert(encodeTerms([{ partition: 0, restored: 10 }], second));
      await store.insert(encodeDecisions([decided(10, 'e')], second));
      const asked = { topic: owner.topic, partition: 0, watermark: 1, frontier: 11, term: 2 };
      const terms = await readTerms(store, owner.topic, 0);
      const open = await lookupOpenAttempts(store, asked, terms);
      expect(open.map(({ rollout_id, offset, unit }) => ({ rollout_id, offset, unit }))).toEqual([
        { rollout_id: 'a', offset: 1, unit: `${run}/0/r/a` },
        { rollout_id: 'c', offset: 3, unit: `${run}/0/r/c` },
      ]);
      expect(await lookupOpenAttempts(store, { ...asked, watermark: 3 }, terms)).toMatchObject([{ rollout_id: 'c' }]);
      // The asking term may say that the one before it ends lower.
      const withOwn = await lookupOpenAttempts(store, asked, [...terms, { term: 3, restored: 10 }]);
      expect(withOwn.map(({ rollout_id }) => rollout_id)).toEqual(['a', 'c', 'e']);
    });

    test('rows come as a Parquet file, whole or not at all', async () => {
      const sql = 'SELECT number AS n, {text:String} AS text FROM numbers({rows:UInt32}) ORDER BY n';
      const bytes = await buffer(await store.readParquet(sql, { text: "it's\ta test", rows: 50_000 }));
      // Magic at both ends; the footer tells the least and greatest text of a column as it is.
      expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
      expect(bytes.includes("it's\ta test")).toBe(true);
      await expect(store.readParquet('SELECT nope')).rejects.toMatchObject({ code: 'RS_STORE_REFUSED' });
      expect(await store.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
    });

    test('closed, it says so', async () => {
      await store.close();
      await store.close();
      await expect(store.query('SELECT 1')).rejects.toMatchObject({ code: 'RS_CLOSED' });
    });
  });
}
