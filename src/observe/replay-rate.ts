/** How fast this process reads a log, in records a second: what a restart would take is estimated by it. */
export interface ReplayRate {
  read(partition: number, records: number): void;
  /** The rebuild of a lane has ended. */
  rebuilt(partition: number, seconds: number): void;
  /** Of the last rebuild that read anything; else of the busiest second. null: nothing was read yet. */
  recordsPerSecond(): number | null;
}

const WINDOW_MS = 1000;

/** `now` in ms, never going back. */
export function createReplayRate(now: () => number): ReplayRate {
  /** Records of a lane whose rebuild is under way; a lane that has ended it has no entry. */
  const rebuilding = new Map<number, number>();
  const rebuiltLanes = new Set<number>();
  let ofRebuild: number | null = null;
  let busiest: number | null = null;
  let windowFrom = 0;
  let windowRecords = 0;
  return {
    read(partition, records) {
      if (!rebuiltLanes.has(partition)) rebuilding.set(partition, (rebuilding.get(partition) ?? 0) + records);
      const at = now();
      if (windowRecords === 0) windowFrom = at;
      windowRecords += records;
      if (at - windowFrom < WINDOW_MS) return;
      busiest = Math.max(busiest ?? 0, (windowRecords * 1000) / (at - windowFrom));
      windowRecords = 0;
    },
    rebuilt(partition, seconds) {
      const records = rebuilding.get(partition) ?? 0;
      rebuilding.delete(partition);
      rebuiltLanes.add(partition);
      if (records > 0 && seconds > 0) ofRebuild = records / seconds;
    },
    recordsPerSecond: () => ofRebuild ?? busiest,
  };
}
