import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/clickhouse/migrate.ts';

let folder = '';
let statements: string[] = [];
let books = new Map<string, string>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-migrate-'));
  statements = [];
  books = new Map();
  await writeFile(join(folder, '0001-a.sql'), "-- one; two\nCREATE A ';' ;\nCREATE B");
  await writeFile(join(folder, '0002-b.sql'), 'CREATE C;');
  await writeFile(join(folder, 'README.md'), 'not SQL');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const deps = {
  async run(sql: string, params?: Readonly<Record<string, string>>) {
    const files: Array<{ name: string; sha256: string }> = JSON.parse(params?.files ?? '[]');
    for (const { name, sha256 } of files) books.set(name, sha256);
    if (files.length > 0) return;
    if (/^CREATE .( |$)/.test(sql)) statements.push(sql);
  },
  applied: async () => Array.from(books, ([name, sha256]) => ({ name, sha256 })),
  log() {},
};

test('files run in order, statement by statement, and are recorded', async () => {
  await migrate(folder, deps);
  expect(statements).toEqual(["CREATE A ';'", 'CREATE B', 'CREATE C']);
  expect([...books.keys()]).toEqual(['0001-a.sql', '0002-b.sql']);
});

test('a second time nothing runs', async () => {
  await migrate(folder, deps);
  statements = [];
  await migrate(folder, deps);
  expect(statements).toEqual([]);
});

test('a file that did not end runs again whole', async () => {
  books.set('0000-before.sql', createHash('sha256').update('').digest('hex'));
  await writeFile(join(folder, '0000-before.sql'), '');
  let left = 1;
  const dying = {
    ...deps,
    run: async (sql: string, params?: Readonly<Record<string, string>>) => {
      if (/CREATE B/.test(sql) && left-- > 0) throw new Error('killed');
      await deps.run(sql, params);
    },
  };
  await expect(migrate(folder, dying)).rejects.toThrow('killed');
  await migrate(folder, dying);
  expect(statements).toEqual(["CREATE A ';'", "CREATE A ';'", 'CREATE B', 'CREATE C']);
});

test('of a new store nothing is recorded until all of it is there', async () => {
  const dying = { ...deps, run: async (sql: string) => (/CREATE C/.test(sql) ? Promise.reject(sql) : deps.run(sql)) };
  await expect(migrate(folder, dying)).rejects.toBe('CREATE C');
  expect(books.size).toBe(0);
  await migrate(folder, deps);
  expect([...books.keys()]).toEqual(['0001-a.sql', '0002-b.sql']);
});

test('an applied file that changed is refused, by name', async () => {
  await migrate(folder, deps);
  const path = join(folder, '0001-a.sql');
  await writeFile(path, `${await readFile(path, 'utf8')} `);
  await expect(migrate(folder, deps)).rejects.toMatchObject({
    code: 'RS_DATA_VERSION',
    message: '0001-a.sql was applied and has changed since: write a new migration instead',
  });
});

test('a store that a newer version wrote is refused', async () => {
  await cp(join(folder, '0002-b.sql'), join(folder, '0003-c.sql'));
  await migrate(folder, deps);
  await rm(join(folder, '0003-c.sql'));
  await expect(migrate(folder, deps)).rejects.toMatchObject({ code: 'RS_DATA_VERSION' });
});
