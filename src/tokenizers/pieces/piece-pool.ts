import { type PieceTable, pieceOfBytes } from './piece.ts';

/** The bytes of all tokens in one piece, so that a thread can hand them over. */
export interface PiecePool {
  readonly bytes: Uint8Array;
  /** Of an id, and behind the last one its end. */
  readonly starts: Uint32Array;
  /** By id: 0 there is none, 1 a token, 2 a special one. */
  readonly kinds: Uint8Array;
}

/** A later entry of an id stands. */
export function packPieces(tokens: Iterable<readonly [id: number, bytes: Uint8Array, isSpecial: boolean]>): PiecePool {
  const byId = new Map<number, { readonly bytes: Uint8Array; readonly kind: number }>();
  let size = 0;
  for (const [id, bytes, isSpecial] of tokens) {
    byId.set(id, { bytes, kind: isSpecial ? 2 : 1 });
    size = Math.max(size, id + 1);
  }
  const starts = new Uint32Array(size + 1);
  const kinds = new Uint8Array(size);
  let total = 0;
  for (let id = 0; id < size; id++) {
    const token = byId.get(id);
    starts[id] = total;
    kinds[id] = token?.kind ?? 0;
    total += token?.bytes.length ?? 0;
  }
  starts[size] = total;
  const bytes = new Uint8Array(total);
  for (const [id, token] of byId) bytes.set(token.bytes, starts[id]);
  return { bytes, starts, kinds };
}

export function tableOfPool({ bytes, starts, kinds }: PiecePool): PieceTable {
  return {
    pieceOf(id) {
      const kind = kinds[id] ?? 0;
      return kind === 0 ? null : pieceOfBytes(bytes.subarray(starts[id], starts[id + 1]), kind === 2);
    },
  };
}
