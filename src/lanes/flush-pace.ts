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
  /** How long a read may wait for records, ms. */
  readWaitMs(isFlushing: boolean): number;
}

/** The clock of an idle lane ticks this often: without records, nobody else would let a deadline pass. */
const TICK_MS = 250;
/** A flush may end while a read waits for records: what was read meanwhile is due then. */
const WHILE_FLUSHING_MS = 20;

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
    readWaitMs(isFlushing) {
      if (pendingRows === 0) return TICK_MS;
      const dueInMs = Math.max(0, sinceMs + intervalMs - now());
      return Math.min(TICK_MS, isFlushing ? Math.max(dueInMs, WHILE_FLUSHING_MS) : dueInMs);
    },
  };
}
