import { Piscina } from 'piscina';
import { RollstreamError } from '../../errors.ts';
import { workerOptions } from '../../threads/worker-options.ts';
import type { PiecesRead } from './pieces-worker.ts';
import type { ReadPool } from './read-piece-pool.ts';

/** The largest take some seconds; what takes so long does not end. */
const MOST_MS = 120_000;

/** The pieces of the tokenizer in a folder, by a thread that ends with it; `closing` ends it at once. */
export async function readInThread(folder: string, closing: AbortSignal): Promise<ReadPool> {
  const pool = new Piscina<string, PiecesRead>({
    ...workerOptions(new URL('./pieces-worker.ts', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
  });
  // A thread that cannot even start its module: the job would never be done.
  const broken = new AbortController();
  pool.on('error', (error: unknown) => broken.abort(error));
  const signal = AbortSignal.any([closing, broken.signal, AbortSignal.timeout(MOST_MS)]);
  try {
    const read = await pool.run(folder, { signal });
    if ('code' in read) throw new RollstreamError(read.code, read.message);
    return read;
  } catch (cause) {
    if (cause instanceof RollstreamError) throw cause;
    if (closing.aborted) throw new RollstreamError('RS_CLOSED', 'the server closes', { cause });
    throw new RollstreamError('RS_TOKENIZER', `${folder}: it could not be read to its end`, { cause });
  } finally {
    await pool.destroy();
  }
}
