import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { frontError } from './front-error.ts';

const DECODERS: Readonly<Record<string, (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>> =
  { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };

/** Decodes what Node cannot. */
export type DecodeBody = (
  bytes: Uint8Array,
  encoding: string,
  maxBytes: number,
  signal: AbortSignal,
) => Promise<Buffer>;

/** The body, decoded; bounded, since it is held in memory. Rows behind a query in the URL are not. */
export async function bodyBytes(request: Request, maxBytes: number, decodeBody: DecodeBody): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const encoding = request.headers.get('content-encoding') ?? '';
  if (encoding === '' || encoding === 'identity') return bytes;
  const decode = DECODERS[encoding];
  if (decode === undefined) return decodeBody(bytes, encoding, maxBytes, request.signal);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (cause) {
    throw frontError('BAD_ARGUMENTS', `The body is no ${encoding}, or too large: ${String(cause)}`);
  }
}

function tooLarge(maxBytes: number): Error {
  const limit = `${Math.floor(maxBytes / 1_000_000)} MB`;
  return frontError(
    'BAD_ARGUMENTS',
    `The body is larger than ${limit}: rows of an INSERT may be if it stands in the URL`,
  );
}

/** The binding takes text: bytes that are none would reach the engine as others. */
export function statementText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw frontError('BAD_ARGUMENTS', 'The statement is not UTF-8');
  return bytes.toString('utf8');
}
