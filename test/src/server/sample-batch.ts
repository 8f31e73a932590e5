import type { LeasedBatch } from '../../../src/delivery/delivery.ts';

/** One trajectory of a group of two, leased for the second time. */
export function sampleBatch(records: readonly Buffer[], over: Partial<LeasedBatch> = {}): LeasedBatch {
  return {
    lease: '3.ab12.17',
    run: 'r',
    lineage: 3,
    key: ['trainer-0', 5, 1],
    unit: 'group',
    deadline: Date.UTC(2026, 0, 1, 12),
    version: 'w9',
    dp: 0,
    rank: 0,
    entries: records.map((_, index) => ({
      offset: 40 + index,
      run: 'r',
      group: 'r/0/g/sums',
      size: 2,
      unit: 'r/0/g/sums',
      rollout: `sum-${index}`,
      attempt: 0,
      tokens: 3,
      versions: ['w7'],
      readyAtMs: Date.UTC(2026, 0, 1, 11),
      deliveries: 2,
      lag: index === 0 ? 2 : null,
    })),
    offsets: records.map((_, index) => 40 + index),
    microBatches: [records.map((_, index) => index)],
    records,
    ...over,
  };
}
