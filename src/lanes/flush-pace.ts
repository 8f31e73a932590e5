import type { LaneSettings } from './lane-settings.ts';

/** When what was read is flushed: by bytes, by rows or by age, whichever comes first. */
export interface FlushPace {
  /** Read and not yet in a flush. */
  readonly bytes: () => number;
  read(bytes: number, rows: number): void;
  /** A flush took it all. Returns its bytes. */
  taken(): number;
  isDue(): boolean;
  /** Reading on would make the next flush twice as large as one should be. */
  isOverfull(): boolean;
  /** How long to let records gather after a read that gave so many bytes, ms. */
  pauseMs(bytes: number): number;
  /** How long a read may wait for records, ms. */
  readWaitMs(isFlushing: boolean): number;
}

/** The clock of an idle lane ticks this often: without records, nobody else would let a deadline pass. */
const TICK_MS = 250;
/** A flush may end while a read waits for records: what was read meanwhile is due then. */
const WHILE_FLUSHING_MS = 20;
/** What is read between two flushes leaves with the later one: reading it in this many parts is often enough. */
const READS_A_FLUSH = 4;
const LONGEST_PAUSE_MS = 100;
/** Each read asks the store once what was decided before; one of so many bytes is worth it. */
const LARGE_READ_BYTES = 256 * 1024;

export function createFlushPace(
  { intervalMs, maxBytes, maxRows }: LaneSettings['flush'],
  now: () => number,
): FlushPace {
  let pendingBytes = 0;
  let pendingRows = 0;
  let sinceMs = 0;
  return {
    bytes: () => pendingBytes,
    read(bytes, rows) {
      if (pendingRows === 0) sinceMs = now();
      pendingBytes += bytes;
      pendingRows += rows;
    },
    taken() {
      const bytes = pendingBytes;
      pendingBytes = 0;
      pendingRows = 0;
      return bytes;
    },
    isDue: () => pendingBytes >= maxBytes || pendingRows >= maxRows || now() - sinceMs >= intervalMs,
    isOverfull: () => pendingBytes >= 2 * maxBytes || pendingRows >= 2 * maxRows,
    pauseMs: (bytes) =>
      bytes === 0 || bytes >= LARGE_READ_BYTES ? 0 : Math.min(LONGEST_PAUSE_MS, intervalMs / READS_A_FLUSH),
    readWaitMs(isFlushing) {
      if (pendingRows === 0) return TICK_MS;
      const dueInMs = Math.max(0, sinceMs + intervalMs - now());
      return Math.min(TICK_MS, isFlushing ? Math.max(dueInMs, WHILE_FLUSHING_MS) : dueInMs);
    },
  };
}
