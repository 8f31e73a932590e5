import { expect, it } from 'vitest';
import type { ReadyEntry } from '../../../../processors/model/delivery.ts';
import { createLookAtPayloads } from '../../../../src/delivery/ready/look-at-payloads.ts';
import type { ReadyShape } from '../../../../src/delivery/ready/ready-shape.ts';

const entryAt = (offset: number, tokens: number): ReadyEntry => ({
  ...{ offset, tokens, run: 'run', group: 'g', size: 1, unit: 'g', rollout: 'r', attempt: 0, versions: [] },
  readyAtMs: 0,
});
const SHAPE: ReadyShape = {
  ...{ run_id: 'run', rollout_id: 'r', attempt: 0, segments: [], segments_ref: null, group_size_actual: null },
  ...{ weights_version_min: null, weights_version_max: null },
};

it('payloads are looked at piece by piece, each once, and 128 MB of them are kept', async () => {
  const asked: number[][] = [];
  // One buffer for all: the size is what counts here.
  const large = Buffer.alloc(50 * 2 ** 20);
  const look = createLookAtPayloads({
    async loadPayloads(entries) {
      asked.push(entries.map(({ offset }) => offset));
      return new Map(entries.flatMap(({ offset }) => (offset === 4 ? [] : [[offset, large] as const])));
    },
    readRecords: async (records) => records.map(() => SHAPE),
    checkBlobs: async () => new Map(),
    storedRecord: async () => null,
    cache: { put: () => undefined },
  });
  const entries = [entryAt(0, 2 ** 19), entryAt(1, 2 ** 19), entryAt(2, 2 ** 21), entryAt(3, 1), entryAt(4, 1)];
  const { payloads, unreadable } = await look(entries);
  expect(asked).toEqual([[0, 1], [2], [3, 4]]);
  expect([...payloads.keys()]).toEqual([0, 1]);
  expect([...unreadable]).toEqual([[4, 'payload_missing']]);
});
