import { mkdtempSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmbeddedStatements } from '../../../src/clickhouse/embedded-statements.ts';
import { sqlStatements } from '../../../src/clickhouse/sql-tokens.ts';
import { statementsOfNew } from '../../../src/clickhouse/statements-of-new.ts';
import { packageFile } from '../../../src/config/package-file.ts';

it('each view once, behind what it names, as it was last written; of a dropped table the drop alone', () => {
  expect(
    statementsOfNew([
      'CREATE TABLE IF NOT EXISTS d.a (x Int8)',
      'CREATE OR REPLACE VIEW d.v AS SELECT x FROM d.a',
      'CREATE OR REPLACE VIEW d.w AS SELECT x FROM d.v',
      'CREATE TABLE IF NOT EXISTS d.ab (x Int8)',
      'ALTER TABLE d.a ADD COLUMN IF NOT EXISTS y Int8',
      'DROP TABLE IF EXISTS d.a',
      'CREATE TABLE IF NOT EXISTS d.a (x Int16)',
      'CREATE OR REPLACE VIEW d.u AS SELECT x FROM d.ab',
      'CREATE OR REPLACE VIEW d.v AS SELECT x FROM d.u',
    ]),
  ).toEqual([
    'CREATE TABLE IF NOT EXISTS d.ab (x Int8)',
    'DROP TABLE IF EXISTS d.a',
    'CREATE TABLE IF NOT EXISTS d.a (x Int16)',
    'CREATE OR REPLACE VIEW d.u AS SELECT x FROM d.ab',
    'CREATE OR REPLACE VIEW d.v AS SELECT x FROM d.u',
    'CREATE OR REPLACE VIEW d.w AS SELECT x FROM d.v',
  ]);
});

let folder = '';
const all: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-new-'));
  const migrations = packageFile('infra', 'clickhouse', 'migrations');
  for (const name of (await readdir(migrations)).sort())
    all.push(...sqlStatements(await readFile(join(migrations, name), 'utf8')));
});
afterAll(() => rm(folder, { recursive: true }));

/** What the engine says of all tables and views after these statements. */
async function madeBy(name: string, statements: readonly string[]): Promise<string> {
  const engine = createEmbeddedStatements(join(folder, name));
  try {
    await engine.run('CREATE DATABASE rollstream ENGINE = Atomic');
    for (const sql of statements) await engine.run(sql);
    const asked = "SELECT name, create_table_query FROM system.tables WHERE database = 'rollstream' ORDER BY name";
    return (await engine.read(`${asked} FORMAT TSV`)).toString();
  } finally {
    await engine.close();
  }
}

it('a new store is what all migrations one after the other make, whatever of it is there already', async () => {
  const folded = statementsOfNew(all);
  expect(folded.length).toBeLessThan(all.length);
  const made = await madeBy('one-by-one', all);
  expect(made.split('\n').length).toBeGreaterThan(40);
  expect(await madeBy('new', folded)).toBe(made);
  // Also where an older build, which ran them one after the other, was killed half-way.
  expect(await madeBy('killed', [...all.slice(0, all.length / 2), ...folded])).toBe(made);
});
