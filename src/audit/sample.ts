import { createHash } from 'node:crypto';

export interface SampleSize {
  readonly size: number;
  readonly seed: string;
}

/** Which attempts a sample holds: those of the smallest hashes, so that it does not depend on the order they come in. */
export interface Sample<Item> {
  /** A place for it, if it may be among them. */
  hashOf(identity: string): number | null;
  add(hash: number, item: Item): void;
  /** The smallest, by hash. */
  items(): Item[];
}

export function createSample<Item>({ size, seed }: SampleSize): Sample<Item> {
  let held: Array<{ readonly hash: number; readonly item: Item }> = [];
  /** What is not below it is not among them. */
  let limit = Number.POSITIVE_INFINITY;

  function keepSmallest(): void {
    held.sort((a, b) => a.hash - b.hash);
    held = held.slice(0, size);
    if (held.length === size) limit = held.at(-1)?.hash ?? limit;
  }

  return {
    hashOf(identity) {
      const hash = createHash('sha256').update(`${seed}\0${identity}`).digest().readUIntBE(0, 6);
      return hash < limit ? hash : null;
    },
    add(hash, item) {
      held.push({ hash, item });
      if (held.length >= 2 * size) keepSmallest();
    },
    items() {
      keepSmallest();
      return held.map(({ item }) => item);
    },
  };
}
