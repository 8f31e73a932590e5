import { type ReadPool, readPiecePool } from './read-piece-pool.ts';

/** Runs in a thread: reading a large tokenizer takes a second. */
export default function piecesWorker(folder: string): Promise<ReadPool> {
  return readPiecePool(folder);
}
