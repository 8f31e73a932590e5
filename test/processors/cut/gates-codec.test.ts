import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pushGates, readGates } from '../../../processors/cut/gates-codec.ts';
import { decodeProgress, encodeProgress } from '../../../processors/cut/progress.ts';
import { GATE_STATES, type GateInForce, type GatesByRun } from '../../../processors/model/gate.ts';
import { NO_WEIGHTS, withVersion } from '../../../processors/model/weights.ts';

const gate: fc.Arbitrary<GateInForce> = fc.record({
  state: fc.constantFrom(...GATE_STATES),
  classes: fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 }),
  seq: fc.nat(Number.MAX_SAFE_INTEGER),
});
const gates: fc.Arbitrary<GatesByRun> = fc
  .uniqueArray(fc.tuple(fc.string({ unit: 'grapheme', maxLength: 20 }), gate), {
    ...{ minLength: 1, maxLength: 20, selector: ([run]) => run },
  })
  .map((entries) => new Map(entries));
const written = (value: GatesByRun): Buffer => {
  const bytes: number[] = [];
  pushGates(bytes, value);
  return Buffer.from(bytes);
};
const progressWith = (value: GatesByRun, weights = NO_WEIGHTS) => ({
  ...{ term: 3, frontier: 90, watermark: 70, starts: new Set([70]) },
  inForce: { policy_id: 'ab'.repeat(32), taxonomy_id: '0f'.repeat(32), weights, gates: value },
});

describe('gates in a commit', () => {
  it('read as they were written, in their order', () => {
    fc.assert(
      fc.property(gates, (value) => {
        const bytes = written(value);
        const cursor = { bytes, at: 0 };
        const read = readGates(cursor);
        expect(read === null ? null : [...read]).toEqual([...value]);
        expect(cursor.at).toBe(bytes.length);
      }),
    );
  });

  it('stand beside weights versions or alone', () => {
    const weights = withVersion(NO_WEIGHTS, 'r', { lineage: '', version: 'v1', ordinal: 1 });
    fc.assert(
      fc.property(gates, fc.constantFrom(NO_WEIGHTS, weights), (value, also) => {
        const progress = progressWith(value, also);
        expect(decodeProgress(encodeProgress(progress))).toEqual(progress);
      }),
    );
  });

  it('are refused when they were cut, or name a state that nobody knows', () => {
    fc.assert(
      fc.property(gates, fc.nat(), (value, at) => {
        const bytes = written(value);
        expect(readGates({ bytes: bytes.subarray(0, at % bytes.length), at: 0 })).toBeNull();
      }),
    );
    // One run, name of one character, state 5, change 9.
    expect(readGates({ bytes: Buffer.from([1, 1, 0x61, 5, 9, 0]), at: 0 })).toBeNull();
    expect(readGates({ bytes: Buffer.from([1, 1, 0x61, 4, 9, 0]), at: 0 })).toEqual(
      new Map([['a', { state: 'hold', classes: [], seq: 9 }]]),
    );
  });

  it('of any bytes end, and do not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        readGates({ bytes: Buffer.from(bytes), at: 0 });
      }),
    );
  });
});
