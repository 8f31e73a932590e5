import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { RollstreamError } from '../errors.ts';

const MOST_LINE_BYTES = 8 * 2 ** 20;

/**
 * Lines of a file, or of standard input (`-`): RS_FILE_UNREADABLE. One that is longer than anybody's verdict is RS_INPUT_REFUSED. Not by
 * readline: an error of its stream would end the process.
 */
export async function* verdictFileLines(path: string, stdin: Readable): AsyncGenerator<string> {
  const input: AsyncIterable<Buffer> = path === '-' ? stdin : createReadStream(path);
  let parts: Buffer[] = [];
  let bytes = 0;
  let line = 1;
  const whole = (last: Buffer): string => {
    const text = Buffer.concat([...parts, last]).toString('utf8');
    // Editors of Windows put a byte order mark first.
    return line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  };
  for await (const chunk of readable(path, input)) {
    let rest = chunk;
    if (line === 1 && bytes === 0) refuseCompressed(path, chunk);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield whole(rest.subarray(0, end));
      parts = [];
      bytes = 0;
      line += 1;
      rest = rest.subarray(end + 1);
    }
    bytes += rest.length;
    if (bytes > MOST_LINE_BYTES) {
      throw new RollstreamError(
        'RS_INPUT_REFUSED',
        `${path}:${line}: a line of at most ${MOST_LINE_BYTES} bytes is needed`,
        {
          facts: { file: path, line },
        },
      );
    }
    parts.push(rest);
  }
  if (bytes > 0) yield whole(Buffer.alloc(0));
}

async function* readable(path: string, input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* input;
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `${path}: it cannot be read (${why})`, {
      cause,
      facts: { file: path },
    });
  }
}

function refuseCompressed(path: string, begin: Buffer): void {
  if (begin[0] !== 0x1f || begin[1] !== 0x8b) return;
  const message = `${path}:1: JSON Lines are needed, and it is compressed: gunzip -c … | rollstream replay --verdicts -`;
  throw new RollstreamError('RS_INPUT_REFUSED', message, { facts: { file: path, line: 1 } });
}
