import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { sampleDecision } from './tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from './temporary-store.ts';

let temporary: TemporaryStore;
let secret = '';
beforeAll(async () => {
  temporary = await temporaryStore();
  await temporary.store.insert(
    encodeDecisions(
      [sampleDecision(1), sampleDecision(2, { rollout_id: 'r1', category: 'infra_fault', reward: null })],
      {
        ...{ topic: 't', term: 1 },
      },
    ),
  );
  secret = join(temporary.folder, 'secret.csv');
  await writeFile(secret, 'a,b\n1,hunter2\n');
});
afterAll(() => temporary.remove());

const ask = (sql: string) => temporary.store.queryAsReader(sql, 'JSONEachRow');

describe('what users need works', () => {
  test.each([
    'select category, count() n from rollstream.decisions final group by category order by n desc',
    'SELECT category FROM decisions FINAL; ',
    'WITH x AS (SELECT 1 AS a) SELECT a FROM x -- a comment',
    '(SELECT 1) UNION ALL (SELECT 2)',
    "SELECT format('{} of {}', 'a', 'b') AS text, 'INTO OUTFILE; file(' AS quoted, \"category\" FROM decisions",
    'SELECT number FROM numbers(3)',
    'SHOW TABLES FROM rollstream',
    'SHOW CREATE TABLE rollstream.decisions',
    'DESCRIBE TABLE rollstream.decisions',
    'EXPLAIN SELECT count() FROM rollstream.decisions',
    'EXISTS TABLE rollstream.decisions',
    'SELECT name, comment FROM system.columns WHERE table = {table:String}',
    'SELECT table_name FROM information_schema.tables',
    "SELECT why[1], offset, partition FROM rollstream.decisions WHERE rollout_id IN ('r0', 'r1') AND reward IS NULL",
    'SELECT count() FROM live_decisions',
  ])('%s', async (sql) => {
    await temporary.store.queryAsReader(sql, 'JSONEachRow', { table: 'decisions' });
  });

  test('the counts are right, null is not 0', async () => {
    const text = await ask(
      'select category, any(reward) r from rollstream.decisions final group by category order by category',
    );
    expect(text).toBe('{"category":"completion","r":1}\n{"category":"infra_fault","r":null}\n');
  });

  test('CSV comes with a header', async () => {
    expect(await temporary.store.queryAsReader('SELECT 1 AS a, NULL AS b', 'CSVWithNames')).toBe('"a","b"\n1,\\N\n');
  });

  test('a lone surrogate in JSON travels as its escape', async () => {
    expect(await ask("SELECT unhex('EDA08041') AS s")).toBe('{"s":"\\ud800A"}\n');
  });
});

describe('what writes, or reaches outside of the store, is refused', () => {
  const refusals = (): string[] => [
    // Writing
    'INSERT INTO rollstream.decisions SELECT * FROM rollstream.decisions',
    'DROP TABLE rollstream.decisions',
    'ALTER TABLE rollstream.decisions DELETE WHERE 1',
    'CREATE TABLE rollstream.x (a Int8) ENGINE = Memory',
    'TRUNCATE rollstream.decisions',
    'WITH 1 AS x INSERT INTO rollstream.decisions SELECT x',
    'SYSTEM SHUTDOWN',
    'KILL QUERY WHERE 1',
    "ATTACH TABLE x FROM '/etc' (a Int8) ENGINE = File(CSV)",
    // Two statements
    'SELECT 1; DROP TABLE rollstream.decisions',
    'SELECT 1; SELECT 2',
    // Settings
    'SET readonly = 0',
    'SELECT 1 SETTINGS readonly = 0',
    'SELECT * FROM (SELECT 1 SETTINGS max_execution_time = 0)',
    'SELECT 1 /**/ sEtTiNgS max_memory_usage = 0',
    // Files out
    `SELECT 1 INTO OUTFILE '${secret}.out'`,
    `SELECT 1 into/**/outfile '${secret}.out' TRUNCATE FORMAT CSV`,
    `EXPLAIN SELECT 1 INTO OUTFILE '${secret}.out'`,
    // Files in
    `SELECT * FROM file('${secret}')`,
    `SELECT * FROM FILE ( '${secret}' )`,
    `SELECT * FROM \`file\`('${secret}')`,
    `SELECT * FROM "file" /* x */ ('${secret}')`,
    `SELECT * FROM file -- x\n('${secret}')`,
    `SELECT file('${secret}')`,
    `WITH (SELECT file('${secret}')) AS x SELECT x`,
    `WITH x AS (SELECT * FROM file('${secret}')) SELECT * FROM x`,
    `SELECT 1 WHERE EXISTS (SELECT * FROM file('${secret}'))`,
    `SELECT 1 WHERE 1 IN (SELECT a FROM file('${secret}'))`,
    `SELECT 1 WHERE (1, 2) IN file('${secret}')`,
    `DESCRIBE TABLE file('${secret}')`,
    `DESC file('${secret}')`,
    `EXPLAIN ESTIMATE SELECT * FROM file('${secret}')`,
    `SELECT * FROM viewExplain('EXPLAIN', '', (SELECT * FROM file('${secret}')))`,
    `SELECT * FROM view(SELECT * FROM file('${secret}'))`,
    `SELECT * FROM loop(file('${secret}'))`,
    `SELECT * FROM default.\`${secret}\``,
    `SELECT * FROM "default"."${secret}"`,
    `DESCRIBE TABLE \`default\`.\`${secret}\``,
    `SHOW COLUMNS FROM \`${secret}\` FROM default`,
    `SELECT * FROM merge('default', '.*')`,
    "SELECT * FROM merge('system', '.*')",
    `SELECT * FROM sqlite('${secret}', 't')`,
    "SELECT * FROM filesystem('/etc')",
    "SELECT * FROM input('a String')",
    "SELECT * FROM format(CSV, '1,2')",
    // Network, programs
    "SELECT * FROM url('http://127.0.0.1:1/x', CSV)",
    "SELECT * FROM s3('http://127.0.0.1:1/x')",
    "SELECT * FROM s3Cluster('c', 'http://127.0.0.1:1/x')",
    "SELECT * FROM remote('127.0.0.1', system.one)",
    "SELECT * FROM remoteSecure('127.0.0.1', system.one)",
    "SELECT * FROM cluster('default', system.one)",
    "SELECT * FROM mysql('h', 'd', 't', 'u', 'p')",
    "SELECT * FROM executable('cat /etc/passwd', TabSeparated, 'a String')",
    "SELECT * FROM python('x')",
    "SELECT * FROM dictionary('d')",
    "SELECT * FROM eval('SELECT 1')",
    "SELECT hasColumnInTable('127.0.0.1', 'u', 'p', 'd', 't', 'c')",
    "SELECT aiGenerate('x')",
    // The host
    'SELECT * FROM system.disks',
    'SELECT * FROM `system`.`server_settings`',
    'SELECT * FROM SYSTEM . processes',
    'SELECT * FROM system.tables',
    'SHOW PROCESSLIST',
    'SHOW GRANTS',
    'SELECT * FROM system.{t:Identifier}',
    // What cannot be cut with certainty
    `SELECT * FROM "fi\\x6ce"('${secret}')`,
    'SELECT $x$ ; $x$',
    'SELECT ‘a’',
    "SELECT 'a",
    'SELECT 1 /* ',
    'SELECT 1 # INTO',
    'SELECT 1\0',
    '',
    '-- nothing',
    ';',
  ];

  test('each of them, before the engine sees it', async () => {
    for (const sql of refusals()) {
      await expect(ask(sql), sql).rejects.toMatchObject({
        code: 'RS_QUERY_REFUSED',
        message: expect.stringMatching(/^query refused: /),
      });
    }
    expect((await readdir(temporary.folder)).sort()).toEqual(['engine', 'inbox', 'secret.csv']);
  });

  test('a path is no table of the store, quoted as an identifier or as a string', async () => {
    for (const sql of [`SELECT * FROM \`${secret}\``, `SELECT * FROM '${secret}'`, `DESCRIBE '${secret}'`]) {
      await expect(ask(sql), sql).rejects.toMatchObject({ code: 'RS_QUERY_FAILED' });
    }
  });

  test('the refusal says what and why', async () => {
    await expect(ask("SELECT * FROM Url('x')")).rejects.toThrow('query refused: Url() reaches outside of the store');
    await expect(ask('DROP TABLE x')).rejects.toThrow(
      'query refused: a query begins with SELECT, WITH, SHOW, DESCRIBE, EXPLAIN or EXISTS, not drop',
    );
  });
});

test('a mistake in the SQL is told in one line', async () => {
  await expect(ask('SELECT nonsense FROM rollstream.decisions')).rejects.toMatchObject({
    code: 'RS_QUERY_FAILED',
    message: expect.stringMatching(/nonsense/),
  });
  await expect(ask('SELECT FROM WHERE')).rejects.toMatchObject({ code: 'RS_QUERY_FAILED' });
});

test('rows, memory and time are limited, and the limits cannot be moved', async () => {
  const limits = await ask(
    "SELECT getSetting('readonly') AS r, getSetting('max_execution_time') AS t, getSetting('max_result_rows') AS n, getSetting('max_memory_usage') AS m",
  );
  expect(JSON.parse(limits)).toEqual({ r: 1, t: 60, n: 1_000_000, m: 2_000_000_000 });
  await expect(ask('SELECT number FROM numbers(3000000)')).rejects.toMatchObject({ code: 'RS_QUERY_FAILED' });
  await expect(ask("SELECT length(groupArray(repeat('x', 1000000))) FROM numbers(3000)")).rejects.toMatchObject({
    code: 'RS_QUERY_FAILED',
  });
});

test('a long query blocks neither the event loop nor the inserts', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 5);
  let done = false;
  const query = ask('SELECT max(sipHash64(number)) AS m FROM numbers(40000000)').then(() => {
    done = true;
  });
  await temporary.store.insert(encodeDecisions([sampleDecision(9, { rollout_id: 'during' })], { topic: 't', term: 1 }));
  expect(done).toBe(false);
  await query;
  clearInterval(timer);
  // Not a measure of speed: blocked, the timer would not fire once.
  expect(turns).toBeGreaterThan(3);
});
