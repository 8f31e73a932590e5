import { expect, it } from 'vitest';
import { parseCsv } from '../../../src/cli/parse-csv.ts';

it('reads quotes, doubled quotes, line ends within a field, and null', () => {
  const text = '"a","b"\n1,\\N\n"x ""y"", z","line\nbreak"\n';
  expect(parseCsv(text)).toEqual([
    ['a', 'b'],
    ['1', null],
    ['x "y", z', 'line\nbreak'],
  ]);
});

it('tells the text \\N from null, and keeps the digits of large numbers', () => {
  expect(parseCsv('"n"\n"\\N"\n18446744073709551615\n')).toEqual([['n'], ['\\N'], ['18446744073709551615']]);
});
