import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProgress, encodeProgress, type Progress } from '../../../processors/cut/progress.ts';
import { NO_GATES } from '../../../processors/model/gate.ts';
import { NO_WEIGHTS, withVersion } from '../../../processors/model/weights.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const inForce = { policy_id: 'ab'.repeat(32), taxonomy_id: '0f'.repeat(32), weights: NO_WEIGHTS, gates: NO_GATES };

/** What some announcements leave in force. */
const weights = fc
  .array(
    fc.record({
      run: fc.constantFrom('a', 'b/ü', ''),
      lineage: fc.constantFrom('', 'l1', '😀'),
      version: fc.oneof(fc.nat(30).map(String), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })),
      ordinal: fc.oneof(fc.nat(50), fc.maxSafeNat()),
    }),
    { maxLength: 30 },
  )
  .map((events) => events.reduce((sum, { run, ...event }) => withVersion(sum, run, event), NO_WEIGHTS));

/** Any progress: starts in [watermark, frontier), the first of them the watermark. */
const progress = fc
  .record({
    term: fc.integer({ min: 0, max: 2 ** 31 }),
    frontier: fc.oneof(fc.nat(1000), fc.integer({ min: MOST - 10_000, max: MOST })),
    back: fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 1, max: MOST })), {
      maxLength: 40,
    }),
    policy_id: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    weights,
    settling: fc.constantFrom({}, { isSettling: true }),
  })
  .map(({ term, frontier, back, policy_id, weights, settling }): Progress => {
    const starts = new Set(back.map((distance) => frontier - distance).filter((start) => start >= 0));
    const watermark = Math.min(frontier, ...starts);
    return {
      term,
      frontier,
      watermark,
      starts,
      inForce: { ...inForce, weights, policy_id: Buffer.from(policy_id).toString('hex') },
      ...settling,
    };
  });

function orderOf(progress: Progress | null) {
  return [...(progress?.inForce.weights ?? [])].map(([run, { ordinals }]) => [run, [...ordinals]]);
}

describe('the commit of a lane', () => {
  it('reads as it was written, at any offset up to 2^53 - 1', () => {
    fc.assert(
      fc.property(progress, (value) => {
        const read = decodeProgress(encodeProgress(value));
        expect(read).toEqual(value);
        // Which is the oldest is an order, too.
        expect(JSON.stringify(orderOf(read))).toBe(JSON.stringify(orderOf(value)));
      }),
    );
  });

  it('takes about five bytes a weights version, and without any is what builds before them can read', () => {
    const before = { term: 3, frontier: 10, watermark: 10, starts: new Set<number>(), inForce };
    expect(encodeProgress(before)).toMatch(/^v1\./);
    const announced = Array.from({ length: 500 }, (_, i) => ({ lineage: '', version: `step-${1000 + i}`, ordinal: i }));
    const weights = announced.reduce((sum, event) => withVersion(sum, 'run', event), NO_WEIGHTS);
    expect(weights.get('run')?.ordinals.size).toBe(128);
    const text = encodeProgress({ ...before, inForce: { ...inForce, weights } });
    expect(text).toMatch(/^v2\./);
    expect(text.length - encodeProgress(before).length).toBeLessThan(128 * 7);
    for (let length = 0; length < text.length; length++) expect(decodeProgress(text.slice(0, length))).toBeNull();
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
    const settling = encodeProgress({
      term: 3,
      frontier: 90,
      watermark: 90,
      starts: new Set(),
      inForce,
      isSettling: true,
    });
    for (let length = 0; length < settling.length; length++)
      expect(decodeProgress(settling.slice(0, length))).toBeNull();
  });

  it('of any bytes at all is refused or read, in no time', () => {
    fc.assert(
      fc.property(fc.constantFrom('v1.', 'v2.'), fc.uint8Array({ maxLength: 120 }), (version, bytes) => {
        const read = decodeProgress(`${version}${Buffer.from(bytes).toString('base64url')}`);
        if (read === null) return;
        expect(read.watermark).toBeLessThanOrEqual(read.frontier);
        for (const start of read.starts) expect(start >= read.watermark && start <= read.frontier).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
