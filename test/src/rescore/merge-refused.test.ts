import { expect, it } from 'vitest';
import { mergeRefused } from '../../../src/rescore/merge-refused.ts';

it('adds up by reason, and names the first hundred', () => {
  const names = (from: number, n: number) => Array.from({ length: n }, (_, i) => `r${from + i}`);
  const merged = mergeRefused([
    [{ reason: 'open', detail: 'first', n: 60, rollouts: names(0, 60) }],
    [
      { reason: 'open', detail: 'second', n: 60, rollouts: names(60, 60) },
      { reason: 'lost', detail: 'gone', n: 1, rollouts: ['x'] },
    ],
  ]);
  expect(merged).toEqual([
    { reason: 'lost', detail: 'gone', n: 1, rollouts: ['x'] },
    { reason: 'open', detail: 'first', n: 120, rollouts: names(0, 100) },
  ]);
});
