import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askedWith, namedQueries, readNamedQuery } from '../../../src/access/named-queries.ts';
import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import type { Store } from '../../../src/clickhouse/port.ts';
import { STORE_FOLDER } from '../../../src/config/data-folders.ts';
import { comparable, type NamedRow, namedByPython } from '../../oracles/named-rows.ts';
import { cli } from '../cli/test-io.ts';

const queries = namedQueries();
let folder = '';
let store: Store;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-named-'));
  const started = await cli(['up', '--example', '--once', '--data', folder, '--port', '0']);
  expect(started.code, started.stderr).toBe(0);
  store = await openEmbeddedStore({ folder: join(folder, STORE_FOLDER) });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** What `rollstream query` is given in an example, as a shell would split it. */
function askedIn(example: string): { readonly name: string; readonly params: Record<string, string> } {
  const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  expect(words.slice(0, 3)).toEqual(['rollstream', 'query', '--named']);
  const params: Record<string, string> = {};
  for (let i = 4; i < words.length; i += 2) {
    expect(words[i]).toBe('--param');
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(words[i + 1] ?? '') ?? [];
    expect(name).not.toBe('');
    params[name] = value;
  }
  return { name: words[3] ?? '', params };
}

describe.each(queries.map((query) => [query.name, query] as const))('%s', (name, query) => {
  it('says what it is, what it answers, what each parameter means, and what its columns mean', () => {
    expect(query.title).toMatch(/^[A-Z].*[^.]$/);
    expect(query.question).toMatch(/^[A-Z].*\?$/);
    expect(query.params.filter(({ meaning }) => meaning === '').map((param) => param.name)).toEqual([]);
    expect(query.notes.length).toBeGreaterThan(40);
  });

  it('gives an example that runs on the example rollouts, within the limits of any reader', async () => {
    const asked = askedIn(query.example);
    expect(asked.name).toBe(name);
    const rows = await store.queryAsReader(query.sql, 'JSONEachRow', askedWith(query, asked.params));
    for (const line of rows.split('\n').filter(Boolean))
      expect(Object.keys(JSON.parse(line)).length).toBeGreaterThan(1);
  });

  it('has columns of one type each', async () => {
    const params = askedWith(query, askedIn(query.example).params);
    const columns = await store.query<{ name: string; type: string }>(`DESCRIBE (${query.sql}\n)`, params);
    expect(columns.filter(({ type }) => /Variant|Dynamic/.test(type))).toEqual([]);
  });
});

it('counts failures, rewards and audits of the example rollouts as Python does from their raw rows', async () => {
  const expected = await namedByPython(store, 'named_queries_a.py');
  expect(expected.size).toBe(13);
  for (const [name, rows] of expected) {
    const query = queries.find((one) => one.name === name);
    const told = query === undefined ? [] : await store.query<NamedRow>(query.sql, askedWith(query, {}));
    expect(comparable(told), name).toEqual(comparable(rows));
    expect(rows.length, name).toBeGreaterThan(0);
  }
});

it('reads a header: fields, parameters with and without presets, and notes behind the empty line', () => {
  const text = [
    '-- title: One',
    '-- question: What is one?',
    '-- param run: one run; empty: all',
    '-- param limit = 5: how many',
    '-- param task: which',
    '-- param history: which history; empty: the one in force',
    '-- param class: empty: any class',
    '-- param part: nonempty: never',
    '-- example: rollstream query --named one --param task=a',
    '--',
    '-- It is one.',
    '-- And no more.',
    'SELECT {run:String}, {limit: UInt32}, {task:String}, {untold:String}, {history:String}, {class:String}, {part:String};',
    '',
  ].join('\n');
  const query = readNamedQuery('one', text);
  expect(query).toEqual({
    name: 'one',
    title: 'One',
    question: 'What is one?',
    params: [
      { name: 'run', type: 'String', meaning: 'one run; empty: all', preset: '' },
      { name: 'limit', type: 'UInt32', meaning: 'how many', preset: '5' },
      { name: 'task', type: 'String', meaning: 'which', preset: null },
      { name: 'untold', type: 'String', meaning: '', preset: null },
      { name: 'history', type: 'String', meaning: 'which history; empty: the one in force', preset: '' },
      { name: 'class', type: 'String', meaning: 'empty: any class', preset: '' },
      { name: 'part', type: 'String', meaning: 'nonempty: never', preset: null },
    ],
    example: 'rollstream query --named one --param task=a',
    notes: 'It is one.\nAnd no more.',
    sql: 'SELECT {run:String}, {limit: UInt32}, {task:String}, {untold:String}, {history:String}, {class:String}, {part:String}',
  });
  const given = { task: 'a', untold: 'b', part: 'c' };
  expect(askedWith(query, given)).toEqual({ run: '', limit: '5', history: '', class: '', ...given });
  expect(() => askedWith(query, { task: 'a', rum: 'b' })).toThrow(
    'one has no parameter rum; it has run, limit, task, untold, history, class, part',
  );
  expect(() => askedWith(query, { untold: 'b' })).toThrow('one needs task: which; such as rollstream query');
});

it('refuses a whole number that its type does not hold, which the store would count on from the other end', () => {
  const query = readNamedQuery('one', '-- param n: a\n-- param m: b\nSELECT {n:Int64}, {m:UInt32}');
  for (const n of ['0', '-9223372036854775808', '9223372036854775807', 7])
    expect(askedWith(query, { n, m: '4294967295' })).toEqual({ n, m: '4294967295' });
  for (const n of ['9223372036854775808', '18446744073709551617', '1e3', '1.5', '', ' 1', '0x10', '1e999', 1.5])
    expect(() => askedWith(query, { n, m: '1' }), String(n)).toThrow('n: a whole number is needed, as Int64 holds it');
  for (const m of ['-1', '4294967296']) expect(() => askedWith(query, { n: '1', m }), m).toThrow('as UInt32 holds it');
});

it('refuses a step or a history that is no number, and takes none for 0', async () => {
  const given: Record<string, Record<string, string>> = {
    blame_step: { run: 'math', step: '0', lineage: 'abc' },
    blame_steps: { step: '1e999' },
  };
  for (const query of queries.filter(({ name }) => given[name] !== undefined))
    await expect(
      store.queryAsReader(query.sql, 'JSONEachRow', askedWith(query, given[query.name] ?? {})),
      query.name,
    ).rejects.toMatchObject({ code: 'RS_QUERY_FAILED' });
});
