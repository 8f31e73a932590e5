import { createFindAddedToken, type FindAddedToken } from './find-added-token.ts';
import type { KnownPipeline } from './known-pipeline.ts';
import { createMergePreToken } from './merge-pre-token.ts';
import { createMerges } from './merges.ts';
import { createNextPreToken, nextPreTokenOfGpt2 } from './next-pre-token.ts';
import { nfcNeed } from './nfc-need.ts';
import { createPreTokenCache, MOST_CACHED_IDS } from './pre-token-cache.ts';

/** Ids of a text. */
export type FastEncode = (text: string) => Uint32Array;

/** NFC as the library makes it: its version of Unicode is older than that of any JavaScript engine. */
export type Nfc = (text: string) => string;

/**
 * Encodes as Hugging Face's `tokenizers` does, for the pipelines that are known exactly: added tokens first, then NFC, then
 * pre-tokens, each merged on its own. Since texts repeat their words, most pre-tokens are looked up.
 */
export function createFastEncode(pipeline: KnownPipeline, libraryNfc: Nfc): FastEncode {
  const { byteIds, ignoreMerges, idOfBytes, isNfc } = pipeline;
  const nextPreToken = pipeline.pattern === 'gpt2' ? nextPreTokenOfGpt2 : createNextPreToken(pipeline.digits);
  const merge = createMergePreToken(createMerges(pipeline.mergeLeft, pipeline.mergeRight, pipeline.merged));
  const raw = createFindAddedToken(pipeline.rawAdded);
  const normalized = createFindAddedToken(pipeline.normalizedAdded);
  const cache = createPreTokenCache();
  const utf8 = new TextEncoder();
  const characters = new TextDecoder('utf-8', { ignoreBOM: true });
  let out = new Uint32Array(4096);
  let length = 0;
  let symbols = new Int32Array(256);

  const room = (ids: number) => {
    if (length + ids <= out.length) return;
    const larger = new Uint32Array(Math.max(out.length * 2, length + ids));
    larger.set(out.subarray(0, length));
    out = larger;
  };

  const pushMerged = (bytes: Uint8Array, from: number, to: number) => {
    const size = to - from;
    if (symbols.length < size) symbols = new Int32Array(size * 2);
    const whole = ignoreMerges ? idOfBytes(bytes, from, to) : -1;
    let left = 1;
    if (whole === -1) {
      for (let at = 0; at < size; at++) symbols[at] = byteIds[bytes[from + at] ?? 0] ?? 0;
      left = merge(symbols, size);
    } else symbols[0] = whole;
    room(left);
    for (let at = 0; at < left; at++) out[length++] = symbols[at] ?? 0;
    cache.put(bytes, from, to, symbols, left);
  };

  const pushText = (bytes: Uint8Array, from: number, to: number) => {
    for (let at = from; at < to; ) {
      const end = nextPreToken(bytes, at, to);
      room(MOST_CACHED_IDS);
      const taken = cache.take(bytes, at, end, out, length);
      if (taken === -1) pushMerged(bytes, at, end);
      else length = taken;
      at = end;
    }
  };

  const pushSplit = (added: FindAddedToken, push: typeof pushText, bytes: Uint8Array, from: number, to: number) => {
    for (let at = from; at < to; ) {
      const start = added.find(bytes, at, to);
      const { id, end } = added.found;
      const until = start === -1 ? to : start;
      if (until > at) push(bytes, at, until);
      if (start === -1) return;
      room(1);
      out[length++] = id;
      at = end;
    }
  };

  const pushNormalized = (bytes: Uint8Array, from: number, to: number) => {
    const need = isNfc ? nfcNeed(bytes, from, to) : 'same';
    if (need === 'same') return pushSplit(normalized, pushText, bytes, from, to);
    const text = characters.decode(bytes.subarray(from, to));
    const composed = utf8.encode(need === 'node' ? text.normalize('NFC') : libraryNfc(text));
    pushSplit(normalized, pushText, composed, 0, composed.length);
  };

  return function fastEncode(text) {
    length = 0;
    const bytes = utf8.encode(text);
    pushSplit(raw, pushNormalized, bytes, 0, bytes.length);
    const ids = out.slice(0, length);
    // What one large text needed is not kept.
    if (out.length > MOST_KEPT) out = new Uint32Array(4096);
    if (symbols.length > MOST_KEPT) symbols = new Int32Array(256);
    return ids;
  };
}

const MOST_KEPT = 1 << 20;
