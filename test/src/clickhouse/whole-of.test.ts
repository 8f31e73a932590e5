import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { wholeOf } from '../../../src/clickhouse/whole-of.ts';

describe('what a stream gives', () => {
  it('of one piece is that piece, its memory its own', async () => {
    const piece = Buffer.alloc(100_000, 7);
    expect(await wholeOf(Readable.from([piece]))).toBe(piece);
  });

  it('of several pieces are their bytes one after the other, of none no bytes', async () => {
    expect(await wholeOf(Readable.from([Buffer.from('ab'), Buffer.from(''), Buffer.from('c')]))).toEqual(
      Buffer.from('abc'),
    );
    expect(await wholeOf(Readable.from([]))).toEqual(Buffer.alloc(0));
  });

  it('fails as the stream does', async () => {
    const failing = new Readable({ read: (): void => void failing.destroy(new Error('cut off')) });
    await expect(wholeOf(failing)).rejects.toThrow('cut off');
  });
});
