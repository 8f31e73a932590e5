import { expect, it } from 'vitest';
import { logprobOf } from '../../../../src/conform/engine/logprob-of.ts';

it('is a float32 below 0 that JSON carries bit for bit', () => {
  const logprobs = Array.from({ length: 10_000 }, (_, at) => logprobOf(3, at * 13, at));
  expect(Math.max(...logprobs)).toBeLessThan(0);
  expect(Math.min(...logprobs)).toBeGreaterThanOrEqual(-9);
  expect(logprobs.map(Math.fround)).toEqual(logprobs);
  expect(JSON.parse(JSON.stringify(logprobs))).toEqual(logprobs);
});

it('differs by token, place and seed', () => {
  expect(new Set([logprobOf(0, 1, 0), logprobOf(0, 2, 0), logprobOf(0, 1, 1), logprobOf(1, 1, 0)]).size).toBe(4);
});
