/**
 * The clock of a lane. While it lags, time is what the records say: a wall clock would expire everything during a catch-up.
 * Once it has caught up, time is the wall clock: records alone would let nothing expire while nobody writes. It never goes back.
 */
export function createLaneClock() {
  let nowMs = 0;
  return {
    recordRead(timestampMs: number): void {
      if (timestampMs > nowMs) nowMs = timestampMs;
    },
    caughtUp(wallMs: number): void {
      if (wallMs > nowMs) nowMs = wallMs;
    },
    now: (): number => nowMs,
  };
}
