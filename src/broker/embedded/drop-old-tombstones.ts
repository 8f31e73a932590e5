import { RollstreamError } from '../../errors.ts';
import { latestKey } from './appender.ts';
import { ChunkDamage, decodeChunk } from './chunk-codec.ts';
import { chunkKey, partitionOfChunk } from './chunk-key.ts';
import type { CommitQueue } from './commit-queue.ts';
import type { Tables } from './tables.ts';

/** How long a deletion can still be read, as Kafka's delete.retention.ms. */
const TOMBSTONE_MS = 24 * 60 * 60 * 1000;

interface Tombstone {
  readonly chunk: Buffer;
  readonly latest: Buffer;
}

/** Frees compacted topics of tombstones, which would otherwise only ever gather. Done when the log is opened. */
export async function dropOldTombstones(tables: Tables, queue: CommitQueue, nowMs: number): Promise<void> {
  const old = findOld(tables, nowMs - TOMBSTONE_MS);
  if (old.length === 0) return;
  try {
    await queue.submit(0, () => {
      for (const { chunk, latest } of old) {
        tables.chunks.remove(chunk);
        tables.latest.remove(latest);
      }
    });
  } catch (error) {
    // A full disk must not keep the log from being read.
    if (!(error instanceof RollstreamError && error.code === 'RS_DISK_FULL')) throw error;
  }
}

function findOld(tables: Tables, beforeMs: number): Tombstone[] {
  const old: Tombstone[] = [];
  for (const { value: topic } of tables.topics.getRange()) {
    if (!topic.compacted) continue;
    const range = { start: chunkKey(topic.id, 0, 0), end: chunkKey(topic.id + 1, 0, 0) };
    for (const { key: chunk, value } of tables.chunks.getRange(range)) {
      const recordKey = tombstoneKey(chunk, value, beforeMs);
      if (recordKey !== null) old.push({ chunk, latest: latestKey(topic.id, partitionOfChunk(chunk), recordKey) });
    }
  }
  return old;
}

/** The record's key, if the chunk is a tombstone from before that time. */
function tombstoneKey(chunk: Buffer, value: Buffer, beforeMs: number): Buffer | null {
  try {
    const { timestampMs, records } = decodeChunk(value, chunk);
    if (timestampMs >= beforeMs) return null;
    for (const record of records) return record.value === null ? record.key : null;
  } catch (error) {
    if (!(error instanceof ChunkDamage)) throw error; // left for the reader to name
  }
  return null;
}
