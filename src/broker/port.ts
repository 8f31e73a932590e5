/**
 * The log, as everything above it sees it: partitioned topics, durable appends, consumer groups, and one transaction that
 * produces records and commits an offset together. `test/contract/broker.ts` is the definition; adapters pass it.
 */

/** A record as it was appended. */
export interface LogRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Append time by the broker's clock, ms since the epoch, never smaller than that of the offset before it. */
  readonly timestampMs: number;
  readonly key: Buffer | null;
  /** null: a tombstone, on compacted topics. */
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface NewRecord {
  readonly key: string | Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: murmur2 of the key (Java's default partitioner, see partition-of.ts); without a key, partition 0. */
  readonly partition?: number;
}

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  /** Only the last record of a key need be kept. */
  readonly compacted: boolean;
  /** Its first records count as much as its last: none is ever deleted. Absent: the broker may delete old ones. */
  readonly keptForever?: boolean;
}

/** Where a consumer group stands in a partition. `metadata` is at most 4,096 bytes (Kafka's offset.metadata.max.bytes). */
export interface Commit {
  readonly offset: number;
  readonly metadata: string;
}

/** The offset of an appended record. */
export interface Position {
  readonly partition: number;
  readonly offset: number;
}

/** Offsets [start, end) can be read: end comes right after the last record there is, and no later record gets a smaller offset. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

export interface ReadLimits {
  /** At least one record is returned if there is one, however large. */
  readonly maxBytes: number;
  /** How long to wait for a first record; 0 returns at once. */
  readonly maxWaitMs: number;
  /** Records from this offset on are not wanted: they need not be fetched, and may be returned. Absent: all are. */
  readonly before?: number;
}

/** Records for several topics and the commit of what they came from: all of it becomes visible, or none. */
export interface Transaction {
  readonly records: ReadonlyArray<{ readonly topic: string; readonly record: NewRecord }>;
  readonly commit?: { readonly group: string; readonly topic: string; readonly partition: number } & Commit;
}

/**
 * Its id fences: once another producer took the same id, `run` rejects with RS_FENCED and changes nothing. Of a run that was being
 * ended when the id was taken, or at RS_CLOSED, the outcome is unknown here: whoever takes the id next reads it from the commit.
 * At any other code nothing was written; after RS_BROKER_UNREACHABLE it may be run again. Once resolved, readers see it.
 */
export interface TransactionalProducer {
  run(transaction: Transaction): Promise<void>;
  close(): Promise<void>;
}

/** A partition that this process works on until `revoked` fires. */
export interface Lane {
  readonly topic: string;
  readonly partition: number;
  readonly revoked: AbortSignal;
  /** How long another member may take this one for alive after it was last heard, ms; 0: no other process can have the partition. */
  readonly sessionMs: number;
  /** The group has heard this member within a session, counted from when it spoke, by a clock that does not jump. */
  isHeld(): boolean;
  /** Records from `offset` on, in order; [] when none came in time or the lane was revoked. Otherwise as Broker.read. */
  read(offset: number, limits: ReadLimits): Promise<LogRecord[]>;
}

/**
 * Membership in a consumer group: `work` is started for each lane assigned, and awaited after its revocation. The members of a
 * group share the partitions; no partition is worked on twice at a time.
 */
export interface Membership {
  /** Rejects with the error of the first lane that failed; resolves when left. A lane that was fenced may be given back instead. */
  readonly done: Promise<void>;
  leave(): Promise<void>;
}

export interface Broker {
  /** Creates what is missing; refuses (RS_CONFIG) a topic that exists with another partition count. */
  ensureTopics(topics: readonly TopicSpec[]): Promise<void>;
  partitionsOf(topic: string): Promise<number>;
  bounds(topic: string, partition: number): Promise<Bounds>;
  /**
   * All of the records or none; resolves once they are on disk, until when their bytes must not change. Within a partition the
   * order is that of the calls and of the records given. RS_RECORD_TOO_LARGE, RS_DISK_FULL: nothing was written.
   * RS_BROKER_UNREACHABLE: what was written is unknown, and may be a part; append it again, readers know repeats.
   */
  append(topic: string, records: readonly NewRecord[]): Promise<Position[]>;
  /**
   * Reads outside of any group. Shows committed records only. RS_OFFSET_OUT_OF_RANGE below the start of the log or above its end.
   * RS_BROKER_UNREACHABLE in an outage, never []: that says that there was nothing.
   */
  read(topic: string, partition: number, offset: number, limits: ReadLimits): Promise<LogRecord[]>;
  join(group: string, topic: string, work: (lane: Lane) => Promise<void>): Promise<Membership>;
  /** The last commit of a group, or null. Read it only after taking the transactional id (fence, then read). */
  committed(group: string, topic: string, partition: number): Promise<Commit | null>;
  transactional(id: string): Promise<TransactionalProducer>;
  /** Revokes every lane and awaits its work, which may still read and commit; then waiting reads and later calls get RS_CLOSED. */
  close(): Promise<void>;
}
