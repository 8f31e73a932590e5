/** From ms to a place between 0 and 1. */
export interface TimeScale {
  place(ms: number): number;
  readonly ticks: readonly number[];
}

const MOST_TICKS = 8;
const MINUTE = 60_000;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440].map((minutes) => minutes * MINUTE),
];

/** As the clock goes, within a window. What lies outside has a place below 0 or above 1. */
export function clockScale(from: number, to: number): TimeScale {
  const span = Math.max(to - from, Number.MIN_VALUE);
  const step = STEPS.find((size) => span / size <= MOST_TICKS) ?? span;
  const first = Math.ceil(from / step);
  const ticks = Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => (first + i) * step);
  return { place: (ms) => (ms - from) / span, ticks };
}

/** From one begin or end to the next each the same way, so that the short is seen beside the long. */
export function evenScale(times: readonly number[]): TimeScale {
  const edges = [...new Set(times)].sort((a, b) => a - b);
  const places = new Map(edges.map((edge, index) => [edge, edges.length === 1 ? 0.5 : index / (edges.length - 1)]));
  return { place: (ms) => places.get(ms) ?? 0, ticks: [] };
}
