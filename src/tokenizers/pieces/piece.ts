/**
 * What one token id stands for: text, or bytes (hex) where they are no UTF-8 by themselves. Pieces joined in order are what was
 * sampled, byte for byte; what a decoder does to a whole text (a blank less at its start) is not done.
 */
export type Piece =
  | { readonly text: string; readonly special?: true }
  | { readonly bytes: string; readonly special?: true };

/** The pieces of a tokenizer. */
export interface PieceTable {
  /** null: it has no such id. */
  readonly pieceOf: (id: number) => Piece | null;
}

// A byte order mark is a character like others here.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function pieceOfBytes(bytes: Uint8Array, isSpecial: boolean): Piece {
  const mark = isSpecial ? ({ special: true } as const) : {};
  try {
    return { text: UTF8.decode(bytes), ...mark };
  } catch {
    return { bytes: Buffer.from(bytes).toString('hex'), ...mark };
  }
}
