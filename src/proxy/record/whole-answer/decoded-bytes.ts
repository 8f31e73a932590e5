import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

export type Decoded =
  | { readonly bytes: Buffer }
  /** `too_large` once unpacked; `unknown_encoding`; `damaged`. */
  | { readonly why: 'too_large' | 'unknown_encoding' | 'damaged'; readonly detail: string };

/** A body without its content-encoding. One that was cut off is read as far as it goes. */
export function decodedBytes(body: Buffer, contentEncoding: string | undefined, maxBytes: number): Decoded {
  let bytes = body;
  const encodings = (contentEncoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  for (const encoding of encodings.reverse()) {
    if (encoding === '' || encoding === 'identity' || bytes.length === 0) continue;
    const decode = DECODERS.get(encoding);
    if (decode === undefined) return { why: 'unknown_encoding', detail: encoding };
    try {
      bytes = decode(bytes, maxBytes);
    } catch (error) {
      const why = error instanceof RangeError ? 'too_large' : 'damaged';
      return { why, detail: error instanceof Error ? error.message : String(error) };
    }
  }
  return bytes.length > maxBytes ? { why: 'too_large', detail: `${bytes.length} bytes` } : { bytes };
}

type Decode = (bytes: Buffer, maxOutputLength: number) => Buffer;

/** What has come of a stream that was cut is given, not refused. */
const CUT = { finishFlush: constants.Z_SYNC_FLUSH };

const gunzipped: Decode = (bytes, maxOutputLength) => gunzipSync(bytes, { ...CUT, maxOutputLength });
const DECODERS = new Map<string, Decode>([
  ['gzip', gunzipped],
  ['x-gzip', gunzipped],
  ['deflate', inflated],
  ['br', unbrotlied],
]);

/** By the book it has zlib's head; some servers leave it out. */
function inflated(bytes: Buffer, maxOutputLength: number): Buffer {
  const hasHead = ((bytes[0] ?? 0) & 0x0f) === 8 && (((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) % 31 === 0;
  return (hasHead ? inflateSync : inflateRawSync)(bytes, { ...CUT, maxOutputLength });
}

function unbrotlied(bytes: Buffer, maxOutputLength: number): Buffer {
  return brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength });
}
