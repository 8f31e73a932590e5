import { createHash } from 'node:crypto';
import type { Bounds, Position } from '../port.ts';
import type { PreparedRecord } from '../prepared-record.ts';
import { encodeChunk, encodedLength } from './chunk-codec.ts';
import { chunkKey } from './chunk-key.ts';
import type { Topic } from './partitions.ts';
import type { Tables } from './tables.ts';

/** Announces what a finished transaction made readable; to be called once it is on disk. */
export type Publish = (to: (topic: Topic, partition: number, bounds: Bounds) => void) => void;

/** Appends within one LMDB transaction: offsets are given out at once, bytes are written by `finish`. */
export interface Appender {
  append(topic: Topic, partition: number, record: PreparedRecord): Position;
  finish(): Publish;
}

interface Growth {
  readonly topic: Topic;
  readonly partition: number;
  readonly start: number;
  readonly timestampMs: number;
  /** The offset of the first of `records`. */
  readonly base: number;
  readonly records: PreparedRecord[];
}

/** Large enough to share a page's rounding, small enough that a reader who keeps one record keeps little else alive. */
const CHUNK_BYTES = 64 * 1024;

/** The key in `latest`. A record's own key can be longer than LMDB allows, so its hash stands for it. */
export function latestKey(topicId: number, partition: number, key: Buffer): Buffer {
  return Buffer.concat([chunkKey(topicId, partition, 0).subarray(0, 8), createHash('sha256').update(key).digest()]);
}

export function createAppender(nowMs: number, tables: Tables): Appender {
  const grown = new Map<string, Growth>();

  function growthOf(topic: Topic, partition: number): Growth {
    const id = `${topic.id}:${partition}`;
    const known = grown.get(id);
    if (known !== undefined) return known;
    const tail = tables.tails.get([topic.id, partition]) ?? { start: 0, end: 0, lastTimestampMs: 0 };
    const growth: Growth = {
      topic,
      partition,
      start: tail.start,
      timestampMs: Math.max(nowMs, tail.lastTimestampMs),
      base: tail.end,
      records: [],
    };
    grown.set(id, growth);
    return growth;
  }

  function write({ topic, partition, timestampMs }: Growth, offset: number, records: readonly PreparedRecord[]): void {
    const key = chunkKey(topic.id, partition, offset);
    tables.chunks.put(key, encodeChunk(records, timestampMs, key));
  }

  function writeChunks(growth: Growth): void {
    let first = 0;
    let bytes = 0;
    growth.records.forEach((record, index) => {
      const more = encodedLength(record);
      if (index > first && bytes + more > CHUNK_BYTES) {
        write(growth, growth.base + first, growth.records.slice(first, index));
        first = index;
        bytes = 0;
      }
      bytes += more;
    });
    write(growth, growth.base + first, growth.records.slice(first));
  }

  /** A chunk a record, so that a record that was replaced can be removed. */
  function writeCompacted(growth: Growth): void {
    growth.records.forEach((record, index) => {
      const offset = growth.base + index;
      write(growth, offset, [record]);
      if (record.key === null) return;
      const id = latestKey(growth.topic.id, growth.partition, record.key);
      const replaced = tables.latest.get(id);
      if (replaced !== undefined) tables.chunks.remove(chunkKey(growth.topic.id, growth.partition, replaced));
      tables.latest.put(id, offset);
    });
  }

  return {
    append(topic, partition, record) {
      const growth = growthOf(topic, partition);
      growth.records.push(record);
      return { partition, offset: growth.base + growth.records.length - 1 };
    },
    finish() {
      for (const growth of grown.values()) {
        if (growth.topic.compacted) writeCompacted(growth);
        else writeChunks(growth);
        const { start, base, records, timestampMs } = growth;
        const row = { start, end: base + records.length, lastTimestampMs: timestampMs };
        tables.tails.put([growth.topic.id, growth.partition], row);
      }
      return (to) => {
        for (const { topic, partition, start, base, records } of grown.values()) {
          to(topic, partition, { start, end: base + records.length });
        }
      };
    },
  };
}
