import type { Tokenizer } from '../../model/tokenizer.ts';

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of the ids `[from, to)`, for a person or to look for something in. An id without a token is left out: it is found elsewhere. */
export function textOf(tokenizer: Tokenizer, ids: Uint32Array, from: number, to: number): string {
  const start = Math.max(0, from);
  const end = Math.min(ids.length, to);
  if (start >= end) return '';
  if (isKnown(tokenizer, ids, start, end)) return UTF8.decode(tokenizer.decode(ids, start, end));
  const known = ids.subarray(start, end).filter((id) => tokenizer.has(id));
  return known.length === 0 ? '' : UTF8.decode(tokenizer.decode(known, 0, known.length));
}

function isKnown(tokenizer: Tokenizer, ids: Uint32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!tokenizer.has(ids[at] ?? 0)) return false;
  return true;
}
