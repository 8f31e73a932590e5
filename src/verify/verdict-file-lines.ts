import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { RollstreamError } from '../errors.ts';

/** Lines of a file, or of standard input (`-`); RS_FILE_UNREADABLE. */
export async function* verdictFileLines(path: string, stdin: Readable): AsyncGenerator<string> {
  try {
    const input = path === '-' ? stdin : (await open(path)).createReadStream();
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `${path}: it cannot be read (${why})`, {
      cause,
      facts: { file: path },
    });
  }
}
