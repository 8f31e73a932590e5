import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSample } from '../../../src/audit/sample.ts';

function drawn(identities: readonly string[], seed: string, size = 5): string[] {
  const sample = createSample<string>({ size, seed });
  for (const identity of identities) {
    const hash = sample.hashOf(identity);
    if (hash !== null) sample.add(hash, identity);
  }
  return sample.items();
}

const all = Array.from({ length: 200 }, (_, i) => `rollout ${i}`);

it('the same seed draws the same, whatever the order they come in', () => {
  const first = drawn(all, '7');
  expect(first).toHaveLength(5);
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (order) => {
      expect(drawn(order, '7')).toEqual(first);
    }),
  );
});

it('another seed draws others', () => {
  expect(drawn(all, '8')).not.toEqual(drawn(all, '7'));
});

it('of no more than are asked for, all are drawn', () => {
  expect(drawn(all.slice(0, 3), '7').sort()).toEqual(all.slice(0, 3));
});
