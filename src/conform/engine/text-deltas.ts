import type { Vocabulary } from './vocabulary.ts';

/**
 * The text that each token adds, as engines tell it: bytes wait until they are a character, and what never becomes one is told as
 * U+FFFD at the end. Together they are the text of the ids.
 */
export function textDeltas(
  vocabulary: Vocabulary,
  ids: readonly number[],
  isShown: (id: number, at: number) => boolean,
): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const deltas = ids.map((id, at) => (isShown(id, at) ? decoder.decode(vocabulary.bytes([id]), { stream: true }) : ''));
  const rest = decoder.decode();
  const last = deltas.at(-1);
  if (last !== undefined) deltas[deltas.length - 1] = last + rest;
  return deltas;
}
