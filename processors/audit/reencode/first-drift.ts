import type { Tokenizer } from '../../model/tokenizer.ts';
import { textOf } from './shown.ts';
import { type Utf8Fault, utf8Fault } from './utf8-fault.ts';

export type DriftClass = 'bpe_split' | 'special_spelling' | 'normalizer' | 'partial_utf8';

/** Where ids and those of their text first part. */
export interface Drift {
  readonly class: DriftClass;
  /** Place in both. */
  readonly index: number;
  /** Ids from there to where both are at the same place of the text again. */
  readonly count: number;
  readonly encodedCount: number;
  readonly encoded: Uint32Array;
  /** The bytes are no text only because they end within a character. */
  readonly isCut: boolean;
}

/** Decodes ids, encodes the text by itself and compares. null: the same ids. Every id must be one that the tokenizer has. */
export function firstDrift(ids: Uint32Array, tokenizer: Tokenizer): Drift | null {
  const bytes = tokenizer.decode(ids, 0, ids.length);
  const encoded = tokenizer.encode(textOf(bytes));
  let index = 0;
  const shorter = Math.min(ids.length, encoded.length);
  while (index < shorter && ids[index] === encoded[index]) index += 1;
  if (index === ids.length && index === encoded.length) return null;
  return classified(ids, bytes, encoded, index, tokenizer);
}

function classified(
  ids: Uint32Array,
  bytes: Uint8Array,
  encoded: Uint32Array,
  index: number,
  tokenizer: Tokenizer,
): Drift {
  const encodedBytes = tokenizer.decode(encoded, 0, encoded.length);
  const begin = tokenizer.decode(ids, 0, index).length;
  let same = begin;
  while (same < bytes.length && bytes[same] === encodedBytes[same]) same += 1;
  const isSameText = same === bytes.length && same === encodedBytes.length;
  const met = meetingOf(ids, encoded, index, isSameText ? bytes.length : same, begin, tokenizer);
  const fault = utf8Fault(bytes);
  const place = { index, count: met.count, encodedCount: met.encodedCount, encoded, isCut: fault?.isCut ?? false };
  if (!met.isSame) return { class: isAt(fault, same) ? 'partial_utf8' : 'normalizer', ...place };
  const isSpelled = addedIn(ids, index, met.count, tokenizer) !== addedIn(encoded, index, met.encodedCount, tokenizer);
  return { class: isSpelled ? 'special_spelling' : 'bpe_split', ...place };
}

interface Meeting {
  readonly count: number;
  readonly encodedCount: number;
  /** Both are the same text up to there. */
  readonly isSame: boolean;
}

/** First place after `index` at which a token ends on both sides, within the bytes that are the same. */
function meetingOf(
  ids: Uint32Array,
  encoded: Uint32Array,
  index: number,
  same: number,
  begin: number,
  tokenizer: Tokenizer,
): Meeting {
  const widthOf = (list: Uint32Array, at: number) => tokenizer.decode(list, at, at + 1).length;
  let [at, other] = [index, index];
  let [end, otherEnd] = [begin, begin];
  do {
    const isBehind = end <= otherEnd;
    if (isBehind ? at === ids.length : other === encoded.length) break;
    if (isBehind) end += widthOf(ids, at++);
    else otherEnd += widthOf(encoded, other++);
  } while (end !== otherEnd && Math.min(end, otherEnd) <= same);
  const isSame = end === otherEnd && end <= same;
  return { count: Math.max(1, at - index), encodedCount: Math.max(1, other - index), isSame };
}

function isAt(fault: Utf8Fault | null, place: number): boolean {
  return fault !== null && place >= fault.at && place < fault.at + 4;
}

/** Added tokens of a range, as text to compare. */
function addedIn(ids: Uint32Array, from: number, count: number, { added }: Tokenizer): string {
  return [...ids.subarray(from, from + count)].filter((id) => added.has(id)).join();
}
