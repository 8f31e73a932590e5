import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import { RollstreamError } from '../../errors.ts';
import type { Bounds, Commit } from '../port.ts';

export interface TopicRow {
  readonly id: number;
  readonly partitions: number;
  readonly compacted: boolean;
}

/** Where a partition stands. `end` outlives the records: an offset is never given out twice. */
export interface TailRow extends Bounds {
  readonly lastTimestampMs: number;
}

/** All that the log keeps, in one LMDB environment, so that one transaction can span all of it. */
export interface Tables {
  readonly root: RootDatabase;
  /** By name. */
  readonly topics: Database<TopicRow, string>;
  /** By [topic id, partition]; absent: nothing was appended yet. */
  readonly tails: Database<TailRow, Key>;
  /** By chunkKey. */
  readonly chunks: Database<Buffer, Buffer>;
  /** Compacted topics only: by latestKey, the offset of the last record of a key. */
  readonly latest: Database<number, Buffer>;
  /** By [group, topic id, partition]. */
  readonly commits: Database<Commit, Key>;
  /** By transactional id: the epoch of its present owner. */
  readonly producers: Database<number, Key>;
}

const FORMAT = 1;
/** Reserved address space, not disk. Fixed, because a growing map would have to be remapped under the readers. */
const MAP_BYTES = 2 ** 40;

/** Opens or creates the log's environment; RS_DATA_VERSION when another build's format is found. */
export function openTables(folder: string): Tables {
  const root = open({
    path: folder,
    encoding: 'json',
    mapSize: MAP_BYTES,
    maxDbs: 8,
    // A commit resolves when it is on disk: with overlappingSync it would resolve before.
    overlappingSync: false,
    // With it lmdb-js starts a batch of its own, whose rejection on a full disk nobody can catch: the process would die.
    eventTurnBatching: false,
  });
  const meta = root.openDB<number, string>({ name: 'meta', encoding: 'json' });
  const format = meta.get('format');
  if (format === undefined) {
    meta.putSync('format', FORMAT);
  } else if (format !== FORMAT) {
    void root.close();
    throw new RollstreamError(
      'RS_DATA_VERSION',
      `the log in ${folder} has format ${format}; this build reads ${FORMAT}`,
    );
  }
  return {
    root,
    topics: root.openDB<TopicRow, string>({ name: 'topics', encoding: 'json' }),
    tails: root.openDB<TailRow, Key>({ name: 'tails', encoding: 'json' }),
    chunks: root.openDB<Buffer, Buffer>({ name: 'chunks', encoding: 'binary', keyEncoding: 'binary' }),
    latest: root.openDB<number, Buffer>({ name: 'latest', encoding: 'json', keyEncoding: 'binary' }),
    commits: root.openDB<Commit, Key>({ name: 'commits', encoding: 'json' }),
    producers: root.openDB<number, Key>({ name: 'producers', encoding: 'json' }),
  };
}
