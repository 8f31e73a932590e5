import type { Leased } from '../../processors/model/delivery.ts';
import type { DeliveredEntry } from './delivery.ts';
import type { Found, Session } from './session.ts';

/** What the one that asked is sent: all of a batch, or the shard of its rank, in the order of delivery. */
export function foundOf({ dispatcher, payloads }: Session, { grant, rank }: Leased): Found {
  const { run, facts, lease, lineage, key, unit, deadline, dp, shards } = grant;
  const shard = shards[dp === 0 ? 0 : rank] ?? [];
  const mine = dp === 0 ? null : new Set(shard.flat());
  const offsets = [...facts.keys()].filter((offset) => mine === null || mine.has(offset));
  const placeOf = new Map(offsets.map((offset, index) => [offset, index]));
  const entries = offsets.map((offset): DeliveredEntry => {
    const entry = dispatcher.entry(run, offset);
    return { ...entry, deliveries: facts.get(offset)?.count ?? 0, lag: dispatcher.lag(run, entry) };
  });
  return {
    ...{ lease, run, lineage, key, unit, deadline, dp, rank, entries, offsets: [...facts.keys()] },
    version: dispatcher.newest(run),
    microBatches: shard.map((micro) => micro.flatMap((offset) => placeOf.get(offset) ?? [])),
    payloads: payloads(),
  };
}
