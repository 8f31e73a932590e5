import { expect, it } from 'vitest';
import { columnsOfResult, exactRows } from '../../../../../web/src/pages/sql/exact-rows.ts';

it('a whole number that a double cannot hold keeps its digits; others are numbers', () => {
  const rows = exactRows('[{"big": 18446744073709551615, "small": 5, "part": 0.25, "large": 1e300, "none": null}]');
  expect(rows).toEqual([
    // Older engines of JavaScript do not tell the source of a number: Node 20 is one of them.
    {
      big: hasSource() ? '18446744073709551615' : 18446744073709552000,
      small: 5,
      part: 0.25,
      large: 1e300,
      none: null,
    },
  ]);
});

it('columns are those of all rows, and numbers where all that they hold are', () => {
  expect(
    columnsOfResult([
      { n: null, t: '5' },
      { n: 3, t: 'a', more: '18446744073709551615' },
    ]),
  ).toEqual([
    { name: 'n', isNumber: true },
    { name: 't', isNumber: false },
    { name: 'more', isNumber: true },
  ]);
  expect(columnsOfResult([])).toEqual([]);
});

function hasSource(): boolean {
  let has = false;
  JSON.parse('1', (_key, value: unknown, context?: { readonly source?: string }) => {
    has = context?.source !== undefined;
    return value;
  });
  return has;
}
