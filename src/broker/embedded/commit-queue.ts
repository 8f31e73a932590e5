import { RollstreamError } from '../../errors.ts';
import { type Appender, createAppender } from './appender.ts';
import type { Partitions } from './partitions.ts';
import type { Tables } from './tables.ts';
import { toLogError } from './to-log-error.ts';

/** A change. A RollstreamError that it throws before it has written anything refuses it alone; any other error, all of its group. */
export type Change<T> = (appender: Appender) => T;

/** Every write of the log goes through here. */
export interface CommitQueue {
  /** Resolves once the change is on disk and readers see it. `bytes`: about what it will write. */
  submit<T>(bytes: number, change: Change<T>): Promise<T>;
  /** Commits what was submitted and takes nothing more. */
  close(): Promise<void>;
}

interface Waiting {
  readonly bytes: number;
  /** Runs the change inside the transaction, keeping its outcome. */
  readonly run: (appender: Appender) => void;
  /** Hands the outcome to the caller, after the commit. */
  readonly settle: () => void;
  readonly reject: (error: unknown) => void;
}

/** Bounds the memory of a transaction's dirty pages; a single larger change is a group of its own. */
const MAX_GROUP_BYTES = 32 * 1024 * 1024;

/**
 * Group commit: what is submitted while one transaction is being flushed goes into the next, in order, so that the cost of a
 * flush is shared. A transaction runs on lmdb-js's writing thread but for the changes themselves.
 */
export function createCommitQueue(
  config: { readonly folder: string; readonly now: () => number },
  deps: { readonly tables: Tables; readonly partitions: Partitions },
): CommitQueue {
  const { root } = deps.tables;
  let queue: Waiting[] = [];
  let draining: Promise<void> | null = null;
  let closed = false;
  /** Set when the disk failed in a way after which nothing written can be trusted; only a restart, which reads it again, helps. */
  let failure: RollstreamError | null = null;

  function takeGroup(): Waiting[] {
    let bytes = 0;
    let size = 0;
    for (const { bytes: more } of queue) {
      if (size > 0 && bytes + more > MAX_GROUP_BYTES) break;
      bytes += more;
      size++;
    }
    const group = queue.slice(0, size);
    queue = queue.slice(size);
    return group;
  }

  async function commit(group: readonly Waiting[]): Promise<void> {
    if (failure !== null) throw failure;
    try {
      // A child transaction, because a plain one commits what was written before its callback threw.
      const publish = await root.childTransaction(() => {
        const appender = createAppender(config.now(), deps.tables);
        for (const { run } of group) run(appender);
        return appender.finish();
      });
      publish((topic, partition, bounds) =>
        deps.partitions.publish(deps.partitions.partition(topic, partition), bounds),
      );
    } catch (error) {
      const bytes = group.reduce((sum, waiting) => sum + waiting.bytes, 0);
      const logError = await toLogError(error, config.folder, bytes);
      if (logError.code !== 'RS_DISK_FULL' || !canStillWrite()) failure = logError;
      throw logError;
    }
  }

  /** False once LMDB has panicked (its meta page could not be written): lmdb-js would then never answer again. */
  function canStillWrite(): boolean {
    try {
      root.transactionSync(() => undefined);
      return true;
    } catch {
      return false;
    }
  }

  async function drain(): Promise<void> {
    await Promise.resolve(); // what is submitted in this turn is one group
    while (queue.length > 0) {
      const group = takeGroup();
      try {
        await commit(group);
        for (const { settle } of group) settle();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    draining = null;
  }

  return {
    submit<T>(bytes: number, change: Change<T>): Promise<T> {
      if (closed) return Promise.reject(new RollstreamError('RS_CLOSED', 'the log is closed'));
      return new Promise<T>((resolve, reject) => {
        let settle: () => void = () => reject(new Error('a change was committed without having run'));
        const run = (appender: Appender): void => {
          try {
            const value = change(appender);
            settle = () => resolve(value);
          } catch (error) {
            if (!(error instanceof RollstreamError)) throw error;
            settle = () => reject(error);
          }
        };
        queue.push({ bytes, run, settle: () => settle(), reject });
        draining ??= drain();
      });
    },
    async close() {
      closed = true;
      await draining;
    },
  };
}
