import type { Logger } from 'pino';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Broker } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Registry } from '../registry/port.ts';

/** What a worker needs to run the lanes of rollout.steps. */
export interface LanesDeps {
  readonly broker: Broker;
  readonly store: Store;
  readonly registry: Registry;
  /** Absent: token data has no other place than records. */
  readonly blobs?: BlobStore | null;
  readonly log: Logger;
  readonly recorder: Recorder;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Runs that are being deleted. Absent: none ever is. */
  readonly ending?: () => ReadonlySet<string>;
}

/** State of one lane, for /readyz, metrics and progress. */
export interface LaneStatus {
  readonly partition: number;
  readonly restored: boolean;
  /** First offset that no committed cut has read. */
  readonly frontier: number;
  /** Next offset to read. */
  readonly position: number;
  /** End of the log when it was last read. */
  readonly logEnd: number;
  /** First offset of the oldest open unit, else the position: a restart reads from there. Absent: not known. */
  readonly watermark?: number;
  /** Append time of that record, ms; null: nothing is open. */
  readonly oldestOpenAtMs?: number | null;
  readonly openUnits: number;
  readonly openAttempts: number;
}

/** The lanes of this process, from start to close. */
export interface Lanes {
  status(): readonly LaneStatus[];
  /**
   * Resolves when each lane's committed frontier is the end of the log as it was at the call, or later, and what was held and may
   * be moved is moved.
   */
  drained(): Promise<void>;
  /** Resolves when no lane of this process is being rebuilt: what is configured is in force for whatever is appended from then on. */
  restored(): Promise<void>;
  /** Rejects with the first lane's failure. */
  readonly failed: Promise<never>;
  /** Stops reading, flushes what was read, commits, leaves the group. */
  close(): Promise<void>;
}
