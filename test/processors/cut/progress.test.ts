import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProgress, encodeProgress, type Progress } from '../../../processors/cut/progress.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const inForce = { policy_id: 'ab'.repeat(32), taxonomy_id: '0f'.repeat(32) };

/** Any progress: starts in [watermark, frontier), the first of them the watermark. */
const progress = fc
  .record({
    term: fc.integer({ min: 0, max: 2 ** 31 }),
    frontier: fc.oneof(fc.nat(1000), fc.integer({ min: MOST - 10_000, max: MOST })),
    back: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: MOST })), {
      maxLength: 40,
    }),
    policy_id: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  })
  .map(({ term, frontier, back, policy_id }): Progress => {
    const starts = new Set(back.map((distance) => frontier - distance).filter((start) => start >= 0));
    const watermark = Math.min(frontier, ...starts);
    return {
      term,
      frontier,
      watermark,
      starts,
      inForce: { ...inForce, policy_id: Buffer.from(policy_id).toString('hex') },
    };
  });

describe('the commit of a lane', () => {
  it('reads as it was written, at any offset up to 2^53 - 1', () => {
    fc.assert(
      fc.property(progress, (value) => {
        expect(decodeProgress(encodeProgress(value))).toEqual(value);
      }),
    );
  });

  it('is ASCII, and takes about two bytes an open unit', () => {
    const starts = new Set(Array.from({ length: 1000 }, (_, i) => 5_000_000 + i * 37));
    const text = encodeProgress({ term: 3, frontier: 5_100_000, watermark: 5_000_000, starts, inForce });
    expect(text).toMatch(/^v1\.[\w-]+$/);
    expect(text.length).toBeLessThan(1000 * 1.5 + 120);
  });

  it('that this version did not write is not read: cut short, longer, or of another kind', () => {
    const text = encodeProgress({ term: 3, frontier: 90, watermark: 10, starts: new Set([10, 40]), inForce });
    expect(decodeProgress(text)).not.toBeNull();
    for (let length = 0; length < text.length; length++) expect(decodeProgress(text.slice(0, length))).toBeNull();
    expect(decodeProgress(`${text}AAAA`)).toBeNull();
    expect(decodeProgress(text.replace('v1.', 'v2.'))).toBeNull();
  });

  it('of any bytes at all is refused or read, in no time', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), (bytes) => {
        const read = decodeProgress(`v1.${Buffer.from(bytes).toString('base64url')}`);
        if (read === null) return;
        expect(read.watermark).toBeLessThanOrEqual(read.frontier);
        for (const start of read.starts) expect(start >= read.watermark && start <= read.frontier).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
