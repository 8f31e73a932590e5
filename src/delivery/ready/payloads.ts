import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { Broker } from '../../broker/port.ts';
import type { RecordCache } from './record-cache.ts';
import type { StoredRecord } from './stored-record.ts';

export interface PayloadDeps {
  readonly broker: Pick<Broker, 'bounds' | 'read'>;
  /** Of what the log has deleted. */
  readonly storedRecord: StoredRecord;
  readonly cache: RecordCache;
  /** Name of the ready topic. */
  readonly topic: string;
}

/** By offset, in Confluent wire format; what is neither in the log nor in the store is left out. */
export type LoadPayloads = (entries: readonly ReadyEntry[]) => Promise<Map<number, Buffer>>;

/** Bytes of one read; offsets that lie further apart than the gap are read by themselves. */
const READ_BYTES = 4 * 2 ** 20;
const GAP = 64;
const LOOKUPS_AT_ONCE = 16;

export function createLoadPayloads({ broker, storedRecord, cache, topic }: PayloadDeps): LoadPayloads {
  /** Reads [from, to] and keeps what is wanted of it. */
  const readStretch = async (from: number, to: number, wanted: ReadonlySet<number>, found: Map<number, Buffer>) => {
    for (let next = from; next <= to; ) {
      const limits = { maxBytes: READ_BYTES, maxWaitMs: 0, before: to + 1 };
      const records = await broker.read(topic, 0, next, limits);
      const last = records.at(-1);
      if (last === undefined) return;
      for (const { offset, value } of records) if (value !== null && wanted.has(offset)) found.set(offset, value);
      next = last.offset + 1;
    }
  };

  const fromLog = async (offsets: readonly number[], found: Map<number, Buffer>): Promise<void> => {
    const { start, end } = await broker.bounds(topic, 0);
    const there = offsets.filter((offset) => offset >= start && offset < end);
    const wanted = new Set(there);
    for (let first = 0; first < there.length; ) {
      let last = first;
      while (last + 1 < there.length && (there[last + 1] ?? 0) - (there[last] ?? 0) <= GAP) last += 1;
      await readStretch(there[first] ?? 0, there[last] ?? 0, wanted, found);
      first = last + 1;
    }
  };

  return async function loadPayloads(entries) {
    const found = new Map<number, Buffer>();
    for (const { offset } of entries) {
      const cached = cache.get(offset);
      if (cached !== undefined) found.set(offset, cached);
    }
    const missing = entries.filter(({ offset }) => !found.has(offset));
    if (missing.length > 0)
      await fromLog(
        missing.map(({ offset }) => offset).sort((a, b) => a - b),
        found,
      );
    const deleted = missing.filter(({ offset }) => !found.has(offset));
    for (let first = 0; first < deleted.length; first += LOOKUPS_AT_ONCE)
      await Promise.all(
        deleted.slice(first, first + LOOKUPS_AT_ONCE).map(async (entry) => {
          const stored = await storedRecord(entry);
          if (stored === null) return;
          found.set(entry.offset, stored.record);
          cache.put(entry.offset, stored.record);
        }),
      );
    return found;
  };
}
