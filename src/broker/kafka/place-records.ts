import { RollstreamError } from '../../errors.ts';
import { partitionOf } from '../partition-of.ts';
import type { NewRecord } from '../port.ts';
import { type PreparedRecord, prepareRecord } from '../prepared-record.ts';
import type { Topics } from './topics.ts';

export interface PlacedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly record: PreparedRecord;
}

/** Kafka's limit bounds a batch, not a record: one of 1 MB, its default, must take it. */
const MAX_BATCH_BYTES = 900 * 1024;
const OVERHEAD_BYTES = 32;

/** Checks records and chooses their partitions; a refusal comes before anything is written. */
export async function placeRecords(
  topics: Topics,
  records: ReadonlyArray<{ readonly topic: string; readonly record: NewRecord }>,
  maxRecordBytes: number,
): Promise<PlacedRecord[]> {
  const counts = new Map<string, number>();
  for (const { topic } of records) if (!counts.has(topic)) counts.set(topic, await topics.partitionsOf(topic));
  return records.map(({ topic, record }) => {
    const partitions = counts.get(topic) ?? 0;
    const prepared = prepareRecord(topic, record, maxRecordBytes);
    const partition = record.partition ?? (prepared.key === null ? 0 : partitionOf(prepared.key, partitions));
    if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
      throw new RollstreamError(
        'RS_UNKNOWN_TOPIC',
        `topic ${topic} has no partition ${partition}: it has ${partitions}`,
        { facts: { topic, partition } },
      );
    }
    return { topic, partition, record: prepared };
  });
}

/** How many records from `start` on fit one batch: at least one. */
export function batchLength(records: ReadonlyArray<{ readonly record: PreparedRecord }>, start: number): number {
  let bytes = 0;
  let end = start;
  for (; end < records.length; end++) {
    bytes += (records[end]?.record.payloadBytes ?? 0) + OVERHEAD_BYTES;
    if (bytes > MAX_BATCH_BYTES && end > start) break;
  }
  return end - start;
}
