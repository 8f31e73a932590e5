/** Ids of the pre-tokens that were met last, by their bytes. Bounded: two generations, of which the older is forgotten whole. */
export interface PreTokenCache {
  /** Appends the ids to `out` at `at` and answers where they end; -1: it does not know. */
  readonly take: (bytes: Uint8Array, from: number, to: number, out: Uint32Array, at: number) => number;
  readonly put: (bytes: Uint8Array, from: number, to: number, ids: Int32Array, length: number) => void;
}

/** Of one generation. Together with the tables that is 13 MB for both. */
const ENTRIES = 1 << 17;
const KEY_BYTES = 1 << 21;
const IDS = 1 << 19;
/** Longer ones hardly come twice; and no more than this many are written at once. */
const LONGEST_BYTES = 128;
/** Texts made to collide are not looked for further than this. */
const MOST_PROBES = 32;

interface Generation {
  /** Entry by slot, from 1; 0: free. */
  readonly slots: Int32Array;
  readonly hashes: Int32Array;
  /** Key and ids of entry n: from [n - 1] to [n]. */
  readonly keyEnds: Int32Array;
  readonly idEnds: Int32Array;
  readonly keys: Uint8Array;
  readonly ids: Int32Array;
  entries: number;
}

/** Ids that `take` writes at most. */
export const MOST_CACHED_IDS = LONGEST_BYTES;

export function createPreTokenCache(): PreTokenCache {
  let young = emptyGeneration();
  let old = emptyGeneration();
  const put: PreTokenCache['put'] = (bytes, from, to, ids, length) => {
    if (to - from > LONGEST_BYTES) return;
    if (isFull(young, to - from, length)) [young, old] = [cleared(old), young];
    insert(young, hashOf(bytes, from, to), bytes, from, to, ids, length);
  };
  return {
    put,
    take: (bytes, from, to, out, at) => {
      if (to - from > LONGEST_BYTES) return -1;
      const hash = hashOf(bytes, from, to);
      let entry = find(young, hash, bytes, from, to);
      if (entry > 0) return write(young, entry, out, at);
      entry = find(old, hash, bytes, from, to);
      if (entry === 0) return -1;
      const generation = old;
      const first = generation.idEnds[entry - 1] ?? 0;
      const length = (generation.idEnds[entry] ?? 0) - first;
      const end = write(generation, entry, out, at);
      // Met again: it stays. A slice is made, for the generation may be cleared by putting it.
      put(bytes, from, to, generation.ids.slice(first, first + length), length);
      return end;
    },
  };
}

function emptyGeneration(): Generation {
  return {
    slots: new Int32Array(ENTRIES * 2),
    hashes: new Int32Array(ENTRIES + 1),
    keyEnds: new Int32Array(ENTRIES + 1),
    idEnds: new Int32Array(ENTRIES + 1),
    keys: new Uint8Array(KEY_BYTES),
    ids: new Int32Array(IDS),
    entries: 0,
  };
}

function cleared(generation: Generation): Generation {
  generation.slots.fill(0);
  generation.entries = 0;
  return generation;
}

function isFull({ entries, keyEnds, idEnds }: Generation, bytes: number, ids: number): boolean {
  return entries === ENTRIES || (keyEnds[entries] ?? 0) + bytes > KEY_BYTES || (idEnds[entries] ?? 0) + ids > IDS;
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Entry; 0: there is none. */
function find({ slots, hashes, keyEnds, keys }: Generation, hash: number, bytes: Uint8Array, from: number, to: number) {
  const mask = slots.length - 1;
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const entry = slots[(hash + probe) & mask] ?? 0;
    if (entry === 0) return 0;
    if (hashes[entry] !== hash) continue;
    const start = keyEnds[entry - 1] ?? 0;
    if ((keyEnds[entry] ?? 0) - start !== to - from) continue;
    let at = from;
    while (at < to && keys[start + at - from] === bytes[at]) at += 1;
    if (at === to) return entry;
  }
  return 0;
}

function insert(
  generation: Generation,
  hash: number,
  bytes: Uint8Array,
  from: number,
  to: number,
  ids: Int32Array,
  length: number,
): void {
  const { slots, hashes, keyEnds, idEnds, keys } = generation;
  const mask = slots.length - 1;
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const slot = (hash + probe) & mask;
    if (slots[slot] !== 0) continue;
    const last = generation.entries;
    const entry = last + 1;
    const key = keyEnds[last] ?? 0;
    const id = idEnds[last] ?? 0;
    for (let at = from; at < to; at++) keys[key + at - from] = bytes[at] ?? 0;
    for (let at = 0; at < length; at++) generation.ids[id + at] = ids[at] ?? 0;
    keyEnds[entry] = key + to - from;
    idEnds[entry] = id + length;
    hashes[entry] = hash;
    slots[slot] = entry;
    generation.entries = entry;
    return;
  }
}

function write({ idEnds, ids }: Generation, entry: number, out: Uint32Array, at: number): number {
  const end = idEnds[entry] ?? 0;
  let written = at;
  for (let id = idEnds[entry - 1] ?? 0; id < end; id++) out[written++] = ids[id] ?? 0;
  return written;
}
