import { expect, test } from 'vitest';
import { cutStatement } from '../../../../src/clickhouse/http-front/cut-statement.ts';

test.each([
  ['SELECT 1', 'SELECT 1', null, {}],
  ['SELECT 1 ;; ', 'SELECT 1', null, {}],
  ['select 1 format JSON;', 'select 1', 'JSON', {}],
  ["SELECT 1 SETTINGS a = 1, b='x''y\\'z' FORMAT CSV", 'SELECT 1', 'CSV', { a: '1', b: "x'y'z" }],
  ['SELECT 1 FORMAT CSV SETTINGS a = 1.5', 'SELECT 1', 'CSV', { a: '1.5' }],
  // These words mean something else where they stand; the guard judges them.
  ["SELECT format('{}', 'a') AS x", "SELECT format('{}', 'a') AS x", null, {}],
  ["SELECT 'FORMAT CSV'", "SELECT 'FORMAT CSV'", null, {}],
  ['SELECT * FROM (SELECT 1 SETTINGS a = 1)', 'SELECT * FROM (SELECT 1 SETTINGS a = 1)', null, {}],
  ['SELECT 1 SETTINGS a = (1)', 'SELECT 1 SETTINGS a = (1)', null, {}],
  ['SELECT name FROM system.settings', 'SELECT name FROM system.settings', null, {}],
  ["SELECT 'open", "SELECT 'open", null, {}],
])('%s', (sql, cut, format, settings) => {
  const found = cutStatement(sql);
  expect([found.sql, found.format, Object.fromEntries(found.settings)]).toEqual([cut, format, settings]);
});
