import { expect, it } from 'vitest';
import type { Parts } from '../../../../processors/score/components/parts.ts';
import { addSoftOverlong } from '../../../../processors/score/components/soft-overlong.ts';

/** The numbers of the paper: 20480 tokens at most, the last 4096 of them the buffer. */
const DAPO = { maxTokens: 20480, bufferTokens: 4096, penalty: 1 };

function penaltyAt(tokens: number | null, rule = DAPO) {
  const parts: Parts = { byName: new Map(), invalid: [] };
  addSoftOverlong(parts, rule, tokens);
  return parts.byName.get('soft_overlong');
}

it('is 0 up to the buffer, falls in a line to −1 at the limit, and is −1 above (DAPO, eq. 13)', () => {
  expect([0, 16384, 16385, 18432, 20480, 20481, 99999].map((tokens) => penaltyAt(tokens))).toEqual([
    ...[0, 0, -1 / 4096, -0.5, -1, -1, -1],
  ]);
  expect(Object.is(penaltyAt(0), 0)).toBe(true);
  expect(penaltyAt(18432, { ...DAPO, penalty: 0.5 })).toBe(-0.25);
  expect(penaltyAt(101, { maxTokens: 100, bufferTokens: 0, penalty: 2 })).toBe(-2);
});

it('is missing where a call came without its ids', () => {
  const parts: Parts = { byName: new Map(), invalid: [] };
  addSoftOverlong(parts, DAPO, null);
  expect(parts).toEqual({ byName: new Map([['soft_overlong', null]]), invalid: ['soft_overlong: missing'] });
});
