import { RollstreamError } from '../../errors.ts';
import { arrivingChunks } from './arriving-chunks.ts';
import { gunzip } from './gunzip.ts';
import type { IngestBody } from './ingest.ts';
import { BodyFault } from './read-step.ts';

/**
 * The bytes of a body without its content-encoding, at most `limitBytes`: RS_TOO_LARGE before the first is read where the length is
 * told, else where the limit is reached, so that gzip that unpacks to more is cut off there.
 */
export async function* decodedBody(body: IngestBody, limitBytes: number): AsyncGenerator<Buffer> {
  if (body.contentLength !== null && body.contentLength > limitBytes) throw tooLarge(limitBytes);
  const encoding = body.contentEncoding.trim().toLowerCase();
  if (!['', 'identity', 'gzip', 'x-gzip'].includes(encoding)) {
    throw new RollstreamError('RS_USAGE', `content-encoding ${JSON.stringify(encoding)}: only gzip is known`, {
      facts: { field: 'content-encoding' },
    });
  }
  let bytes = 0;
  const chunks = untilCut(arrivingChunks(body.chunks));
  for await (const chunk of encoding.endsWith('gzip') ? gunzip(chunks) : chunks) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}

/** What the connection breaks off is no end: the record that it stands in is torn. */
async function* untilCut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (cause) {
    if (cause instanceof RollstreamError) throw cause;
    throw new BodyFault('the connection ended within the body', { cause });
  }
}

function tooLarge(limitBytes: number): RollstreamError {
  return new RollstreamError(
    'RS_TOO_LARGE',
    `the body is larger than ${limitBytes} bytes (limits.ingest_body, counted after gunzip): send several smaller ones`,
  );
}
