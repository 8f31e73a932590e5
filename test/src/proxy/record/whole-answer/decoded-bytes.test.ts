import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decodedBytes } from '../../../../../src/proxy/record/whole-answer/decoded-bytes.ts';

const TEXT = Buffer.from('{"text":"4 and é"}'.repeat(50));
const MAX = 10_000;

it('a body is given without its content-encoding, whichever it is', () => {
  const packed: [string | undefined, Buffer][] = [
    [undefined, TEXT],
    ['identity', TEXT],
    ['gzip', gzipSync(TEXT)],
    ['X-GZIP', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['gzip, br', brotliCompressSync(gzipSync(TEXT))],
  ];
  for (const [encoding, body] of packed) expect(decodedBytes(body, encoding, MAX), encoding).toEqual({ bytes: TEXT });
});

it('a body that was cut off is read as far as it goes', () => {
  const random = Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i * 31) % 251));
  for (const [encoding, body] of [
    ['gzip', gzipSync(random)],
    ['deflate', deflateSync(random)],
    ['br', brotliCompressSync(random)],
  ] as const) {
    const decoded = decodedBytes(body.subarray(0, body.length - 20), encoding, MAX);
    if (!('bytes' in decoded)) throw new Error(`${encoding}: ${decoded.why}`);
    expect(random.subarray(0, decoded.bytes.length)).toEqual(decoded.bytes);
  }
});

it('what unpacks to more than the limit is told, and not unpacked', () => {
  const bomb = Buffer.alloc(1_000_000);
  for (const [encoding, body] of [
    ['gzip', gzipSync(bomb)],
    ['deflate', deflateSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    [undefined, bomb],
  ] as const)
    expect(decodedBytes(body, encoding, MAX)).toMatchObject({ why: 'too_large' });
});

it('an encoding nobody knows, and bytes that are not what they say, are told', () => {
  expect(decodedBytes(TEXT, 'zstd', MAX)).toEqual({ why: 'unknown_encoding', detail: 'zstd' });
  expect(decodedBytes(TEXT, 'gzip', MAX)).toMatchObject({ why: 'damaged' });
});
