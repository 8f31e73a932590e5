/** A seeded source of chance: one seed gives one run, on any machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** In [from, to], whole. */
  whole(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** An item by its weight; at least one weight is above 0. */
  weighted<T>(items: ReadonlyArray<readonly [T, number]>): T;
}

/** sfc32 over a hash of the seed. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = [hashOf(seed, 1), hashOf(seed, 2), hashOf(seed, 3), 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warmUp = 0; warmUp < 12; warmUp++) next();
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };
  return {
    next,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick,
    weighted(items) {
      let rest = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [item, weight] of items) {
        rest -= weight;
        if (rest < 0) return item;
      }
      return pick(items.filter(([, weight]) => weight > 0))[0];
    },
  };
}

function hashOf(text: string, salt: number): number {
  let hash = Math.imul(0x9e3779b9, salt);
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}
