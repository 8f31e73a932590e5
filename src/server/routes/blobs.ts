import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { auxBytes } from '../../../processors/model/aux-data.ts';
import { type BlobStore, blobUri, isSha256 } from '../../blobs/blob-store.ts';
import { noBlobFolder } from '../../blobs/create-resolve-segments.ts';
import { RollstreamError } from '../../errors.ts';
import { bad } from '../request-value.ts';

const BYTES_TYPE = 'application/octet-stream';

/**
 * `GET /v1/blobs/:sha256`: the bytes that a reference names, checked before the first is sent. `PUT` takes what producers refer to
 * (aux_ref); with `shape` and `dtype` only if it has the length of that. Nothing else of a path reaches the file system.
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
      checkShape(bytes.length, c.req.query('shape'), c.req.query('dtype'));
      await store.put({ sha256, bytes });
      return c.json({ uri: blobUri(sha256), sha256, length: bytes.length });
    });
}

/** Whoever tells the shape is told when the bytes are not of it, while they can still be sent again. */
function checkShape(length: number, shape: string | undefined, dtype: string | undefined): void {
  if (shape === undefined && dtype === undefined) return;
  const sizes = /^\d{1,15}(?:,\d{1,15}){0,15}$/.test(shape ?? '') ? (shape ?? '').split(',').map(Number) : null;
  if (sizes === null) throw bad('shape', 'shape: whole numbers with commas between are needed, beside dtype');
  const bytes = auxBytes(sizes, dtype ?? '');
  if (bytes === null) throw bad('dtype', 'dtype: a type of numbers such as uint8 or int32 is needed, beside shape');
  if (bytes !== length)
    throw bad('shape', `shape: (${sizes.join(', ')}) of ${dtype} is ${bytes} bytes, the body has ${length}`);
}

function nameOfBlob(text: string): string {
  if (isSha256(text)) return text;
  throw bad('sha256', 'sha256: 64 digits of hex in lower case are needed');
}
