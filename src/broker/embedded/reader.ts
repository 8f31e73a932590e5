import { RollstreamError } from '../../errors.ts';
import type { LogRecord, ReadLimits } from '../port.ts';
import { ChunkDamage, type DecodedChunk, decodeChunk } from './chunk-codec.ts';
import { baseOffsetOf, chunkKey } from './chunk-key.ts';
import type { Partition, Partitions, Topic } from './partitions.ts';
import type { Tables } from './tables.ts';

export interface Reader {
  /** As Broker.read; once `stop` is aborted it answers [] at once. */
  read(topic: string, partition: number, offset: number, limits: ReadLimits, stop?: AbortSignal): Promise<LogRecord[]>;
  /** Ends every waiting read with RS_CLOSED. */
  close(): void;
}

/** What a record costs in memory beside its key and value, so that a limit in bytes limits empty records too. */
const RECORD_BYTES = 100;
/** What setTimeout can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

function checkOffset(topic: Topic, partition: number, { bounds }: Partition, offset: number): void {
  if (!Number.isSafeInteger(offset) || offset < bounds.start || offset > bounds.end) {
    throw new RollstreamError(
      'RS_OFFSET_OUT_OF_RANGE',
      `offset ${offset} of ${topic.name}/${partition} cannot be read: the log goes from ${bounds.start} to ${bounds.end}`,
      { facts: { topic: topic.name, partition, offset, start: bounds.start, end: bounds.end } },
    );
  }
}

/** Resolves at the next append to the partition, at the latest after `waitMs` or when `stop` is aborted. */
function nextAppend(partition: Partition, waitMs: number, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const resume = (): void => {
      clearTimeout(timer);
      partition.waiting.delete(resume);
      stop?.removeEventListener('abort', resume);
      resolve();
    };
    const timer = setTimeout(resume, Math.min(waitMs, MAX_TIMER_MS));
    partition.waiting.add(resume);
    stop?.addEventListener('abort', resume);
  });
}

export function createReader(tables: Tables, partitions: Partitions): Reader {
  let closed = false;

  function decode(topic: Topic, partition: number, key: Buffer, value: Buffer): DecodedChunk | RollstreamError {
    try {
      return decodeChunk(value, key);
    } catch (error) {
      if (!(error instanceof ChunkDamage)) throw error;
      const offset = baseOffsetOf(key);
      return new RollstreamError(
        'RS_LOG_DAMAGED',
        `the records of ${topic.name}/${partition} from offset ${offset} on are damaged: ${error.message}`,
        { cause: error, facts: { topic: topic.name, partition, offset } },
      );
    }
  }

  /** The key of the chunk that holds `offset`, or of the last one before it. */
  function chunkBefore(topic: Topic, partition: number, offset: number): Buffer | undefined {
    const range = { start: chunkKey(topic.id, partition, offset), end: chunkKey(topic.id, partition, 0) };
    for (const key of tables.chunks.getKeys({ ...range, inclusiveEnd: true, reverse: true, limit: 1 })) return key;
    return undefined;
  }

  function scan(topic: Topic, partition: number, from: number, end: number, maxBytes: number): LogRecord[] {
    const found: LogRecord[] = [];
    let bytes = 0;
    const start = chunkBefore(topic, partition, from) ?? chunkKey(topic.id, partition, from);
    for (const entry of tables.chunks.getRange({ start, end: chunkKey(topic.id, partition, end) })) {
      if (bytes >= maxBytes && found.length > 0) break;
      const base = baseOffsetOf(entry.key);
      const chunk = decode(topic, partition, entry.key, entry.value);
      if (chunk instanceof RollstreamError) {
        if (found.length > 0) break; // what stands before it is read first
        throw chunk;
      }
      const { timestampMs, records } = chunk;
      for (const { index, key, value, headers } of records) {
        const offset = base + index;
        if (offset < from) continue;
        bytes += (key?.length ?? 0) + (value?.length ?? 0) + RECORD_BYTES;
        if (bytes > maxBytes && found.length > 0) return found;
        found.push({ topic: topic.name, partition, offset, timestampMs, key, value, headers });
      }
    }
    return found;
  }

  return {
    async read(topicName, partitionIndex, offset, limits, stop) {
      const topic = partitions.topic(topicName);
      const partition = partitions.partition(topic, partitionIndex);
      const deadline = performance.now() + limits.maxWaitMs;
      for (;;) {
        if (closed) throw new RollstreamError('RS_CLOSED', 'the log is closed');
        if (stop?.aborted) return [];
        checkOffset(topic, partitionIndex, partition, offset);
        const end = Math.min(partition.bounds.end, limits.before ?? Number.POSITIVE_INFINITY);
        const records = scan(topic, partitionIndex, offset, end, limits.maxBytes);
        const waitMs = deadline - performance.now();
        if (records.length > 0 || !(waitMs > 0)) return records;
        await nextAppend(partition, waitMs, stop);
      }
    },
    close() {
      closed = true;
      partitions.wakeAll();
    },
  };
}
