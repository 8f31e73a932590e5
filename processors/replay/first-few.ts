/** The first few of what is added, by an order, each once: however it was split, the same few come out. */
export interface FirstFew<T> {
  add(value: T): void;
  /** Whether adding it would change anything. Spares making what is not kept. */
  takes(value: T): boolean;
  /** In order. */
  list(): readonly T[];
}

/** `compare`: total; equal ones are one. */
export function createFirstFew<T>(most: number, compare: (a: T, b: T) => number): FirstFew<T> {
  const kept: T[] = [];

  function takes(value: T): boolean {
    const last = kept[kept.length - 1];
    return kept.length < most || (last !== undefined && compare(value, last) < 0);
  }

  /** Index of the first that is not below it. */
  function placeOf(value: T): number {
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const there = kept[middle];
      if (there !== undefined && compare(there, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    add(value) {
      if (!takes(value)) return;
      const at = placeOf(value);
      const there = kept[at];
      if (there !== undefined && compare(there, value) === 0) return;
      kept.splice(at, 0, value);
      if (kept.length > most) kept.pop();
    },
    takes,
    list: () => kept,
  };
}
