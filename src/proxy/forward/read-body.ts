import type { IncomingMessage } from 'node:http';
import { RollstreamError } from '../../errors.ts';

/** The whole body; null: the client left before it was there. RS_TOO_LARGE above the limit: the rest is read, and thrown away. */
export function readBody(req: IncomingMessage, limit: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = (): void => {
      chunks.length = 0;
      req.removeAllListeners('data');
      req.resume();
      reject(
        new RollstreamError('RS_TOO_LARGE', `the body has more than ${limit} bytes (--max-body)`, {
          facts: { field: 'body' },
        }),
      );
    };
    if (Number(req.headers['content-length'] ?? 0) > limit) {
      tooLarge();
      return;
    }
    req.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limit) tooLarge();
    });
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', () => resolve(null));
    req.once('close', () => resolve(null));
  });
}
