import { listOf, Malformed, rowOf, wholeOf } from './json-parts.ts';

/**
 * What is said of each of many offsets, without saying the same of each: stretches of equal values in the order of the map, which
 * is that of delivery. A grant of 10,000 entries is one stretch.
 */
export function encodeStretches<T>(
  map: ReadonlyMap<number, T>,
  encode: (value: T) => unknown,
): Array<readonly [value: unknown, offsets: readonly number[]]> {
  const stretches: Array<readonly [unknown, number[]]> = [];
  let last = '';
  for (const [offset, value] of map) {
    const encoded = encode(value);
    const text = JSON.stringify(encoded);
    if (text !== last || stretches.length === 0) stretches.push([encoded, []]);
    last = text;
    stretches.at(-1)?.[1].push(offset);
  }
  return stretches.map(([value, offsets]) => [value, steps(offsets)]);
}

export function decodeStretches<T>(value: unknown, decode: (value: unknown) => T): Map<number, T> {
  const map = new Map<number, T>();
  for (const stretch of listOf((one) => rowOf(2, one), value)) {
    const shared = decode(stretch[0]);
    for (const offset of offsetsOf(stretch[1])) {
      if (map.has(offset)) throw new Malformed('each offset once', offset);
      map.set(offset, shared);
    }
  }
  return map;
}

/** The first, then from one to the next. */
export function steps(offsets: readonly number[]): number[] {
  return offsets.map((offset, index) => offset - (offsets[index - 1] ?? 0));
}

export function offsetsOf(value: unknown): number[] {
  let offset = 0;
  return listOf((step) => {
    offset += wholeOf(step);
    return offset;
  }, value);
}
