import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { type BlobStore, blobUri, isSha256 } from '../../blobs/blob-store.ts';
import { noBlobFolder } from '../../blobs/create-resolve-segments.ts';
import { RollstreamError } from '../../errors.ts';
import { bad } from '../request-value.ts';

const BYTES_TYPE = 'application/octet-stream';

/**
 * `GET /v1/blobs/:sha256`: the bytes that a reference names, checked before the first is sent. `PUT` takes what producers refer to
 * (aux_ref). Nothing else of a path reaches the file system.
 */
export function blobRoutes({ blobs }: { readonly blobs: BlobStore | null }): Hono {
  const folder = (): BlobStore => {
    if (blobs === null) throw noBlobFolder();
    return blobs;
  };
  return new Hono()
    .get('/blobs/:sha256', async (c) => {
      const sha256 = nameOfBlob(c.req.param('sha256'));
      const found = await folder().stream(sha256);
      if (found === 'blob_missing')
        throw new RollstreamError('RS_NOT_FOUND', `no blob ${sha256}`, { facts: { field: 'sha256' } });
      if (found === 'blob_damaged')
        throw new RollstreamError('RS_BLOB_DAMAGED', `blob ${sha256} is damaged: its bytes have another SHA-256`, {
          facts: { field: 'sha256' },
        });
      return c.body(Readable.toWeb(found.body), 200, {
        'content-type': BYTES_TYPE,
        'content-length': String(found.length),
      });
    })
    .put('/blobs/:sha256', async (c) => {
      const sha256 = nameOfBlob(c.req.param('sha256'));
      const store = folder();
      const bytes = Buffer.from(await c.req.arrayBuffer());
      const got = createHash('sha256').update(bytes).digest('hex');
      if (got !== sha256) throw bad('sha256', `sha256: the body has ${got}`);
      await store.put({ sha256, bytes });
      return c.json({ uri: blobUri(sha256), sha256, length: bytes.length });
    });
}

function nameOfBlob(text: string): string {
  if (isSha256(text)) return text;
  throw bad('sha256', 'sha256: 64 digits of hex in lower case are needed');
}
