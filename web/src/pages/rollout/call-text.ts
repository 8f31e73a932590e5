import type { Piece } from '../../../../src/tokenizers/pieces/piece.ts';

/** What an id stands for; null: the tokenizer has no such id; undefined: it was not asked. */
export type PieceOf = (id: number) => Piece | null | undefined;

/** The text of a run of tokens, and where in it each begins. */
export interface DecodedText {
  readonly text: string;
  /** First character of each token, as JavaScript counts them; one more for the end. */
  readonly starts: Uint32Array;
}

/**
 * Characters that several tokens make together stand at the token that completes them. null: some id has no text, so that nothing
 * can be said of places.
 */
export function decodedText(ids: readonly number[], from: number, to: number, pieceOf: PieceOf): DecodedText | null {
  const starts = new Uint32Array(to - from + 1);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for (let at = from; at < to; at += 1) {
    starts[at - from] = text.length;
    const piece = pieceOf(ids[at] ?? -1);
    if (piece === null || piece === undefined) return null;
    text += decoder.decode(bytesOf(piece), { stream: true });
  }
  text += decoder.decode();
  starts[to - from] = text.length;
  return { text, starts };
}

/** Token of the run that holds the character; of several that begin there, the last: those before it are empty or unfinished. */
export function tokenAt({ starts }: DecodedText, character: number): number {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= character) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

const ENCODER = new TextEncoder();

function bytesOf(piece: Piece): Uint8Array {
  if ('text' in piece) return ENCODER.encode(piece.text);
  return Uint8Array.from(piece.bytes.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
}
