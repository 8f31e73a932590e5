import { expect, it } from 'vitest';
import { createIngestBudget } from '../../../../src/ingest/http/ingest-budget.ts';

const MB = 2 ** 20;
const full = expect.objectContaining({ code: 'RS_INGEST_FULL', status: 429, retriable: true });

it('room is set aside before a body is read, and is there again after it', () => {
  const told: number[] = [];
  const budget = createIngestBudget(9 * MB, (bytes) => told.push(bytes));
  const first = budget.admit(null);
  const second = budget.admit(100 * MB);
  expect(() => budget.admit(2 * MB)).toThrow(full);
  const small = budget.admit(10);
  second.release();
  budget.admit(2 * MB).release();
  first.release();
  small.release();
  expect(told.at(-1)).toBe(0);
  expect(Math.max(...told)).toBeLessThanOrEqual(9 * MB);
});

it('who was admitted gets to the end, unless a single record needs more than there is', () => {
  const budget = createIngestBudget(9 * MB);
  const mine = budget.admit(null);
  const other = budget.admit(null);
  mine.hold(3 * MB);
  mine.hold(0);
  mine.hold(5 * MB);
  expect(() => mine.hold(6 * MB)).toThrow(full);
  // A refusal takes nothing.
  mine.hold(5 * MB);
  other.release();
  mine.hold(6 * MB);
});

it('alone a record may be larger than the budget: it would never get in', () => {
  const budget = createIngestBudget(MB);
  const mine = budget.admit(null);
  mine.hold(30 * MB);
  expect(() => budget.admit(10)).toThrow(full);
  mine.release();
  budget.admit(10).release();
});
