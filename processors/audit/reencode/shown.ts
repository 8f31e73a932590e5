import type { Tokenizer } from '../../model/tokenizer.ts';

const IDS_BEFORE = 8;
const MOST_IDS = 48;
const MOST_CHARACTERS = 400;

const characters = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text as people read it: U+FFFD where the bytes are none. */
export function textOf(bytes: Uint8Array): string {
  return characters.decode(bytes);
}

/** Ids around `[at, at + count)`. */
export function idsAround(ids: Uint32Array, at: number, count: number): number[] {
  return [...ids.subarray(Math.max(0, at - IDS_BEFORE), at + Math.min(count, MOST_IDS) + IDS_BEFORE)];
}

/** Text of those ids, of those that the tokenizer has. */
export function textAround(tokenizer: Tokenizer, ids: Uint32Array, at: number, count: number): string {
  const known = Uint32Array.from(idsAround(ids, at, count).filter(tokenizer.has));
  return textOf(tokenizer.decode(known, 0, known.length)).slice(0, MOST_CHARACTERS);
}
