import { describe, expect, it } from 'vitest';
import { createGrants } from '../../../src/admission/grants.ts';

const begun = (counts: Record<string, number>) => new Map(Object.entries(counts));

describe('grants', () => {
  it('are given back by a start, the oldest of its environment first, then those of none', () => {
    const grants = createGrants();
    grants.settle(begun({ a: 7 }), 0);
    grants.add('a', 2, 100);
    grants.add(null, 3, 100);
    grants.add('b', 1, 100);
    grants.settle(begun({ a: 8 }), 0);
    expect([grants.outstanding('a'), grants.outstanding()]).toEqual([1, 5]);
    grants.settle(begun({ a: 11 }), 0);
    expect([grants.outstanding('a'), grants.outstanding('b'), grants.outstanding()]).toEqual([0, 1, 2]);
    grants.settle(begun({ a: 30 }), 0);
    expect(grants.outstanding()).toBe(1);
  });

  it('are given back by time', () => {
    const grants = createGrants();
    grants.settle(begun({}), 0);
    grants.add('a', 2, 100);
    grants.add('a', 3, 200);
    grants.settle(begun({}), 99);
    expect(grants.outstanding()).toBe(5);
    grants.settle(begun({}), 100);
    expect(grants.outstanding()).toBe(3);
    grants.settle(begun({}), 200);
    expect(grants.outstanding()).toBe(0);
  });

  it('go on in another process, whose clock has another zero', () => {
    const grants = createGrants();
    grants.settle(begun({ a: 7 }), 1000);
    grants.add('a', 2, 1100);
    grants.add(null, 3, 1500);
    const kept = JSON.parse(JSON.stringify(grants.kept(1050)));
    const successor = createGrants(kept, 0);
    expect([successor.outstanding('a'), successor.outstanding()]).toEqual([2, 5]);
    successor.settle(begun({ a: 8 }), 49);
    expect(successor.outstanding()).toBe(4);
    successor.settle(begun({ a: 8 }), 50);
    expect(successor.outstanding()).toBe(3);
  });

  it('what had begun before the first of them used none, and an environment that is new counts from 0', () => {
    const grants = createGrants();
    grants.settle(begun({ a: 1000 }), 0);
    grants.add('a', 2, 100);
    grants.add('b', 2, 100);
    grants.settle(begun({ a: 1000, b: 1 }), 1);
    expect([grants.outstanding('a'), grants.outstanding('b')]).toEqual([2, 1]);
  });
});
