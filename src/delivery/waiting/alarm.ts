/** Rings once after so many ms, unless the function that it gave is called before. Injected, so that a test need not wait. */
export type Alarm = (afterMs: number, ring: () => void) => () => void;

/** What setTimeout can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** By the machine's clock. */
export const alarm: Alarm = (afterMs, ring) => {
  const timer = setTimeout(ring, Math.min(Math.max(0, afterMs), LONGEST_MS));
  return () => clearTimeout(timer);
};
