import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decodeEmitProgress,
  type EmitProgress,
  encodeEmitProgress,
} from '../../../../src/rescore/emit/emit-progress.ts';

const count = fc.nat(Number.MAX_SAFE_INTEGER);
const progresses: fc.Arbitrary<EmitProgress> = fc.record({
  ...{ position: count, topic: fc.stringMatching(/^[\w.-]{1,60}$/), units: count, trajectories: count },
  last: fc.uniqueArray(fc.nat(2 ** 40), { maxLength: 500 }).map((places) => places.sort((a, b) => a - b)),
  leftOut: fc.dictionary(fc.constantFrom('rejected', 'stale', 'unchanged'), count, { noNullPrototype: true }),
});

it('a commit says again what it was told', () => {
  fc.assert(
    fc.property(progresses, (progress) => {
      expect(decodeEmitProgress(encodeEmitProgress(progress), progress.position)).toEqual(progress);
    }),
  );
});

it('a commit of the most units of a transaction, as far apart as they may be, is within what Kafka takes', () => {
  const reasons = ['rejected', 'already_trained', 'unchanged', 'stale', 'segments_not_kept', 'no_blob_folder'];
  const progress: EmitProgress = {
    ...{ position: 1e9, topic: 't'.repeat(249), units: 1e9, trajectories: 1e11 },
    last: Array.from({ length: 500 }, (_, index) => 1e9 + index * 19),
    leftOut: Object.fromEntries(reasons.map((reason) => [reason, 1e9])),
  };
  expect(Buffer.byteLength(encodeEmitProgress(progress))).toBeLessThan(4096);
});

it.each([
  '',
  'p1',
  '[]',
  '{}',
  '{"version":2}',
  '{"version":1,"topic":"t","steps":[-1],"units":0,"trajectories":0,"leftOut":{}}',
])('what another version wrote is not taken for progress: %s', (text) => {
  expect(decodeEmitProgress(text, 0)).toBeNull();
});
