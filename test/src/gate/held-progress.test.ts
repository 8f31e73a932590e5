import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeHeldProgress, encodeHeldProgress, firstToMove } from '../../../src/gate/held-progress.ts';

const progresses = fc
  .tuple(
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }))),
  )
  .map(([lookedTo, runs]) => ({
    lookedTo,
    waiting: new Map(lookedTo === 0 ? [] : runs.map(([run, share]) => [run, Math.floor(share * lookedTo)] as const)),
  }));

describe('how far the held topic is forwarded', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(progresses, (progress) => {
        expect(decodeHeldProgress(encodeHeldProgress(progress))).toEqual(progress);
      }),
    );
  });

  test('is committed at the least offset that must be looked at again', () => {
    expect(firstToMove({ lookedTo: 9, waiting: new Map() })).toBe(9);
    expect(
      firstToMove({
        lookedTo: 9,
        waiting: new Map([
          ['a', 4],
          ['b', 2],
        ]),
      }),
    ).toBe(2);
  });

  test('what another version wrote, or nobody, is refused and never throws', () => {
    expect(decodeHeldProgress('')).toBeNull();
    expect(decodeHeldProgress('h2.AAA')).toBeNull();
    // One run of the two that it counts.
    expect(decodeHeldProgress(`h1.${Buffer.from([9, 2, 1, 97, 1]).toString('base64url')}`)).toBeNull();
    // A run that waits at offset -1.
    expect(decodeHeldProgress(`h1.${Buffer.from([9, 1, 1, 97, 10]).toString('base64url')}`)).toBeNull();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const read = decodeHeldProgress(`h1.${Buffer.from(bytes).toString('base64url')}`);
        for (const offset of read?.waiting.values() ?? []) expect(offset).toBeLessThan(read?.lookedTo ?? 0);
      }),
    );
  });
});
