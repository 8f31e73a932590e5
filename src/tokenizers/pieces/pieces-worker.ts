import { type ErrorCode, RollstreamError } from '../../errors.ts';
import { type ReadPool, readPiecePool } from './read-piece-pool.ts';

/** Of an error only the message gets from one thread to another. */
export type PiecesRead = ReadPool | { readonly code: ErrorCode; readonly message: string };

/** Runs in a thread: reading a large tokenizer takes a second. */
export default async function piecesWorker(folder: string): Promise<PiecesRead> {
  try {
    return await readPiecePool(folder);
  } catch (error) {
    if (error instanceof RollstreamError) return { code: error.code, message: error.message };
    throw error;
  }
}
