import { expect, it } from 'vitest';
import { membersOf, ReadyOrder, type Unit } from '../../../processors/delivery/ready-order.ts';
import type { ReadyEntry } from '../../../processors/model/delivery.ts';

const entry = (offset: number, group: string, size: number): ReadyEntry => ({
  offset,
  run: 'r',
  group,
  size,
  unit: group,
  rollout: `r${offset}`,
  attempt: 0,
  tokens: 1,
  versions: [],
  readyAtMs: 0,
});

const offsetsOf = (unit: Unit | null): number[] | null => unit && membersOf(unit).map(({ offset }) => offset);

function orderOf(...entries: ReadyEntry[]): ReadyOrder {
  const order = new ReadyOrder();
  for (const one of entries) order.add(one);
  return order;
}

const A1 = entry(1, 'A', 2);
const B2 = entry(2, 'B', 2);
const B3 = entry(3, 'B', 2);
const C4 = entry(4, 'C', 1);
const A9 = entry(9, 'A', 2);

it("a group's place is its last member's: B @2 @3, C @4, A @1 @9", () => {
  const order = orderOf(A1, B2, B3, C4, A9);
  expect([order.take(), order.take(), order.take(), order.take()].map(offsetsOf)).toEqual([[2, 3], [4], [1, 9], null]);
});

it('a group that is not whole is no unit', () => {
  expect(orderOf(A1, B2).units()).toEqual([]);
});

it('what comes back goes first, and once', () => {
  const order = orderOf(A1, B2, B3, C4, A9);
  const first = order.take();
  order.take();
  if (first !== null) for (let i = 0; i < 2; i++) order.giveBack(first);
  expect([order.take(), order.take(), order.take()].map(offsetsOf)).toEqual([[2, 3], [1, 9], null]);
});

it('rollouts go in the order of the topic', () => {
  const order = orderOf(A1, B2, B3);
  order.restart('rollout');
  expect([order.take(), order.take(), order.take(), order.take()].map(offsetsOf)).toEqual([[1], [2], [3], null]);
});

it('one that comes twice is there once, one that comes out of order at its place', () => {
  const order = orderOf(A1, B3, A9);
  expect(order.add(A1)).toBe(false);
  expect(order.add(B2)).toBe(true);
  expect(order.units().map(offsetsOf)).toEqual([
    [2, 3],
    [1, 9],
  ]);
});

it('a member too many goes alone, and its group is whole', () => {
  const order = orderOf(B2, B3, entry(7, 'B', 2));
  expect(order.units().map(offsetsOf)).toEqual([[2, 3], [7]]);
});

it('what is taken out is asked for no more, and the place in the order stays', () => {
  const order = orderOf(A1, B2, B3, C4, A9);
  order.take();
  expect(order.remove(({ offset }) => offset === 2 || offset === 3, 4).length).toBe(2);
  expect(offsetsOf(order.take())).toEqual([4]);
  expect(order.entries.map(({ offset }) => offset)).toEqual([1, 4, 9]);
});
