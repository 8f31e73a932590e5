import { expect, test } from 'vitest';
import { createAttemptNumbers, createLineIds } from '../../../src/ingest/attempt-numbers.ts';

const line = (digit: string) => digit.repeat(64);

test('an equal line is a repeat, a different one after an aborted one is the next attempt', () => {
  const attempts = createAttemptNumbers();
  expect(attempts.of('p_0', line('a'), true)).toBe(0);
  expect(attempts.of('p_1', line('a'), false)).toBe(0);
  expect(attempts.of('p_0', line('a'), true)).toBe(0);
  expect(attempts.of('p_0', line('b'), true)).toBe(1);
  expect(attempts.of('p_0', line('c'), false)).toBe(2);
  expect(attempts.of('p_0', line('a'), true)).toBe(0);
  expect(attempts.of('p_0', line('b'), true)).toBe(1);
});

test('a different line after one that was not aborted contradicts it: the same attempt', () => {
  const attempts = createAttemptNumbers();
  expect(attempts.of('p', line('a'), false)).toBe(0);
  expect(attempts.of('p', line('b'), false)).toBe(0);
});

test('a line without an id is its hash and how many equal ones came before', () => {
  const idOf = createLineIds();
  expect([idOf(line('a')), idOf(line('b')), idOf(line('a'))]).toEqual([
    `${line('a')}.0`,
    `${line('b')}.0`,
    `${line('a')}.1`,
  ]);
});
