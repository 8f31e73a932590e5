import { expect, test } from 'vitest';
import { insertHead } from '../../../../src/clickhouse/http-front/insert-head.ts';

test.each([
  ['INSERT INTO t FORMAT CSV\n1,2', 't', 'CSV', '1,2', {}],
  ['insert into rollstream.`t` (`a`, b.c) format RowBinary\n\n', 'rollstream.`t` (`a`, b.c)', 'RowBinary', '\n', {}],
  ["INSERT INTO t (a) VALUES ('x')", 't (a)', 'Values', "('x')", {}],
  ["INSERT INTO t SETTINGS a=1, b = 'c' FORMAT TSV 1", 't', 'TSV', '1', { a: '1', b: 'c' }],
  ['INSERT INTO TABLE t FORMAT Native', 't', 'Native', '', {}],
])('%s', (text, target, format, rows, settings) => {
  const head = insertHead(text);
  expect([head?.target.trim(), head?.format, text.slice(head?.end)]).toEqual([target, format, rows]);
  expect(Object.fromEntries(head?.settings ?? [])).toEqual(settings);
});

test.each([
  'INSERT INTO t SELECT 1',
  "INSERT INTO FUNCTION file('x') VALUES (1)",
  "INSERT INTO t FROM INFILE 'x' FORMAT CSV",
  'SELECT 1 FORMAT CSV',
  'INSERT INTO t (a, FORMAT CSV',
])('no rows stand behind: %s', (text) => {
  expect(insertHead(text)).toBeNull();
});
