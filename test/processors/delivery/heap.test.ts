import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from '../../../processors/delivery/heap.ts';

it('gives what was put in, the least first', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      const heap = new Heap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      expect(heap.size).toBe(numbers.length);
      expect(numbers.map(() => heap.pop())).toEqual([...numbers].sort((a, b) => a - b));
      expect(heap.pop()).toBeUndefined();
    }),
  );
});
