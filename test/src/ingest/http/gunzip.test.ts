import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gunzip } from '../../../../src/ingest/http/gunzip.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** What it gave, its largest piece, and how it ended. */
async function unpacked(
  bytes: Buffer,
  size = 65_536,
): Promise<{ text: string; largest: number; fault: string | null }> {
  const parts: Buffer[] = [];
  let fault: string | null = null;
  try {
    for await (const part of gunzip(inPieces(bytes, size))) parts.push(part);
  } catch (error) {
    fault = String(error);
  }
  return { text: Buffer.concat(parts).toString(), largest: Math.max(0, ...parts.map(({ length }) => length)), fault };
}

const text = Array.from({ length: 30_000 }, (_, n) => `${(n * 7919) % 65_536}\n`).join('');
const packed = gzipSync(text);

describe('gzip is unpacked', () => {
  it.each([1_000, 65_536])('whole, in pieces of %d bytes', async (size) => {
    expect(await unpacked(packed, size)).toMatchObject({ text, fault: null });
  });

  it('where several follow each other, all of them', async () => {
    expect(await unpacked(Buffer.concat([packed, packed]))).toMatchObject({ text: text + text, fault: null });
  });

  it('a little at a time, however much it becomes', async () => {
    const { text: zeros, largest } = await unpacked(gzipSync(Buffer.alloc(20 * 2 ** 20)));
    expect(zeros.length).toBe(20 * 2 ** 20);
    expect(largest).toBeLessThan(2 ** 20);
  });
});

describe('what is no whole gzip is told, after what came before', () => {
  it('a cut', async () => {
    const { text: before, fault } = await unpacked(packed.subarray(0, -100));
    expect(fault).toMatch(/is cut short/);
    expect(text.startsWith(before)).toBe(true);
    expect(text.length - before.length).toBeLessThan(1_000);
  });

  it('a cut before its checksum, and no byte at all', async () => {
    expect(await unpacked(packed.subarray(0, -8))).toMatchObject({
      text,
      fault: expect.stringMatching(/is cut short/),
    });
    expect(await unpacked(Buffer.alloc(0))).toMatchObject({ text: '', fault: expect.stringMatching(/is cut short/) });
  });

  it.each([
    ['a wrong checksum', Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8, 1)])],
    ['other bytes behind it', Buffer.concat([packed, Buffer.from('{"run_id":1}')])],
    ['zeros behind it', Buffer.concat([packed, Buffer.alloc(9)])],
    ['text', Buffer.from(text)],
  ])('%s', async (_, bytes) => {
    const { text: before, fault } = await unpacked(bytes, 10_000);
    expect(fault).toMatch(/broken gzip|goes on after the end/);
    expect(text.startsWith(before)).toBe(true);
  });
});
