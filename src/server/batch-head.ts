import type { LeaseCall, LeasedBatch } from '../delivery/delivery.ts';

/** A batch without its trajectories: what both forms of the answer begin with. */
export function batchHead(batch: LeasedBatch): Record<string, unknown> {
  const [, index, attempt] = batch.key;
  return {
    lease: batch.lease,
    run: batch.run,
    lineage: batch.lineage,
    batch_index: index,
    try: attempt,
    unit: batch.unit,
    deadline: new Date(batch.deadline).toISOString(),
    version: batch.version,
    shard: batch.dp === 0 ? null : { rank: batch.rank, dp_size: batch.dp },
    entries: batch.entries.map((entry) => ({
      offset: entry.offset,
      unit: entry.unit,
      rollout_id: entry.rollout,
      attempt: entry.attempt,
      size: entry.size,
      tokens: entry.tokens,
      deliveries: entry.deliveries,
      lag: entry.lag,
      ready_at: new Date(entry.readyAtMs).toISOString(),
    })),
    offsets: batch.offsets,
    micro_batches: batch.microBatches,
  };
}

/** "Not enough": null where the request left it to the server. */
export function againAnswer({ lineage, key }: LeaseCall): Record<string, unknown> {
  return { lease: null, again: true, lineage, batch_index: key?.[1] ?? null, try: key?.[2] ?? null };
}
