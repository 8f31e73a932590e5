/** From rewards to a place between 0 and 1, with some room at both ends. */
export interface RewardScale {
  readonly ticks: readonly number[];
  place(value: number): number;
}

const ROOM = 0.06;

/** Covers 0 and all that is given. Equal values are one place in the middle. */
export function rewardScale(values: readonly number[]): RewardScale {
  const lowest = Math.min(0, ...values);
  const highest = Math.max(0, ...values);
  const span = highest - lowest;
  return {
    ticks: span === 0 ? [lowest] : ticksBetween(lowest, highest),
    place: (value) => (span === 0 ? 0.5 : ROOM + ((value - lowest) / span) * (1 - 2 * ROOM)),
  };
}

/** Round numbers, 0 among them where it lies between. */
function ticksBetween(lowest: number, highest: number): number[] {
  const rough = (highest - lowest) / MOST_TICKS;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 2.5, 5].find((times) => times * size >= rough) ?? 10);
  const first = Math.ceil(lowest / step);
  return Array.from({ length: Math.floor(highest / step) - first + 1 }, (_, i) => (first + i) * step);
}

const MOST_TICKS = 6;

/** How high each of many dots stands, where those at one place stand on each other: 0, 1, … */
export function stacked(places: readonly number[]): number[] {
  const heights = new Map<number, number>();
  return places.map((place) => {
    const at = Math.round(place * 80);
    const height = heights.get(at) ?? 0;
    heights.set(at, height + 1);
    return height;
  });
}
