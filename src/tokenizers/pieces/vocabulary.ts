import type { Piece, PieceTable } from './piece.ts';

/** Some pieces of a tokenizer as a file: the ones that the example rollouts use. */
export interface Vocabulary {
  readonly tokenizer: { readonly sha256: string; readonly name: string };
  /** By id. */
  readonly pieces: Readonly<Record<string, Piece>>;
}

/** The file is our own. */
export function parseVocabulary(text: string): Vocabulary {
  return JSON.parse(text);
}

export function tableOfVocabulary({ pieces }: Vocabulary): PieceTable {
  return { pieceOf: (id) => pieces[String(id)] ?? null };
}
