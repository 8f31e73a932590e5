import { expect, test } from 'vitest';
import { sqlStatements, sqlTokens } from '../../../src/clickhouse/sql-tokens.ts';

function cut(sql: string): string[] {
  const tokens = sqlTokens(sql);
  return Array.isArray(tokens) ? tokens.map(({ kind, text }) => `${kind}:${text}`) : [`not cut at ${tokens.at}`];
}

test('comments and blanks separate, strings hide what they hold', () => {
  expect(cut("SELECT/* file( */1 -- ;\n,'a''b\\'c;' x")).toEqual([
    'word:SELECT',
    'number:1',
    'mark:,',
    'string:',
    'word:x',
  ]);
});

test('identifiers are read through both kinds of quotes', () => {
  expect(cut('"fi""le" `a``b`.c')).toEqual(['quoted:fi"le', 'quoted:a`b', 'mark:.', 'word:c']);
});

test('numbers of all forms are one token', () => {
  expect(cut('1 1.5 1e-3 0xFF 1_000 .5')).toEqual([
    ...['number:1', 'number:1.5', 'number:1e-3', 'number:0xFF', 'number:1_000', 'mark:.', 'number:5'],
  ]);
});

test('what ClickHouse might read otherwise is not cut', () => {
  for (const sql of ['$a$', '# x', '‘a’', '`a\\`', "'a", '/* a', 'a\0', '\ufeffSELECT', '"a\\x41"', 'é']) {
    expect(Array.isArray(sqlTokens(sql)), sql).toBe(false);
  }
});

test('a file is cut into statements', () => {
  expect(sqlStatements("-- head;\nA ';' ;\n\nB -- tail\n;;C")).toEqual(["A ';'", 'B', 'C']);
});
