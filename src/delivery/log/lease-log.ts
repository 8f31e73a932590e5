import type { LeaseRecord } from '../../../processors/model/delivery.ts';
import type { Broker } from '../../broker/port.ts';
import { decodeLeaseRecord } from './decode-lease-record.ts';
import { encodeLeaseRecord } from './encode-lease-record.ts';

/** ready.leases: one partition, compacted; a key is written once, and a tombstone takes its record away. */
export interface LeaseLog {
  append(key: string, record: LeaseRecord): Promise<void>;
  drop(keys: readonly string[]): Promise<void>;
  /** All that stands there now, in order. */
  read(): Promise<Array<{ readonly key: string; readonly record: LeaseRecord }>>;
}

const READ_BYTES = 8 * 2 ** 20;
const TOMBSTONES_AT_ONCE = 1_000;

export function createLeaseLog(broker: Pick<Broker, 'append' | 'bounds' | 'read'>, topic: string): LeaseLog {
  return {
    async append(key, record) {
      const headers = { kind: record.kind };
      await broker.append(topic, [{ key, value: encodeLeaseRecord(record), headers, partition: 0 }]);
    },
    async drop(keys) {
      for (let first = 0; first < keys.length; first += TOMBSTONES_AT_ONCE) {
        const some = keys.slice(first, first + TOMBSTONES_AT_ONCE);
        await broker.append(
          topic,
          some.map((key) => ({ key, value: null, partition: 0 })),
        );
      }
    },
    async read() {
      const found: Array<{ readonly key: string; readonly record: LeaseRecord }> = [];
      const { start, end } = await broker.bounds(topic, 0);
      for (let offset = start; offset < end; ) {
        const records = await broker.read(topic, 0, offset, { maxBytes: READ_BYTES, maxWaitMs: 0 });
        const last = records.at(-1);
        if (last === undefined) break;
        offset = last.offset + 1;
        for (const { key, value, offset: at } of records)
          if (value !== null)
            found.push({ key: key?.toString() ?? '', record: decodeLeaseRecord(value, { topic, offset: at }) });
      }
      return found;
    },
  };
}
