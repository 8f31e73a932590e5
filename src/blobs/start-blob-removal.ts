import type { Logger } from 'pino';
import type { Sleep } from '../lanes/sleep.ts';
import type { BlobStore } from './blob-store.ts';

export interface BlobRemovalDeps {
  readonly blobs: BlobStore;
  /** A blob is removed so long after it was last written, whoever still refers to it. */
  readonly retentionMs: number;
  readonly log: Logger;
  readonly sleep: Sleep;
  /** ms since the epoch. */
  readonly now: () => number;
}

const EVERY_MS = 24 * 3_600_000;

/** Removes old blobs now and once a day. Processes that share a folder may all do that. */
export function startBlobRemoval({ blobs, retentionMs, log, sleep, now }: BlobRemovalDeps): { close(): Promise<void> } {
  const closing = new AbortController();
  const work = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        const removed = await blobs.removeOld(now() - retentionMs);
        if (removed > 0) log.info({ removed }, 'removed old blobs');
      } catch (error) {
        log.warn({ err: error }, 'removing old blobs');
      }
      await sleep(EVERY_MS, closing.signal);
    }
  };
  const working = work();
  return {
    async close() {
      closing.abort();
      await working;
    },
  };
}
