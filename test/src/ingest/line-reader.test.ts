import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines, type SourceLine } from '../../../src/ingest/line-reader.ts';

async function* chunksOf(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

async function linesOf(parts: readonly (string | Buffer)[], limit?: number): Promise<SourceLine[]> {
  const lines: SourceLine[] = [];
  for await (const line of readLines(chunksOf(parts.map((part) => Buffer.from(part))), limit)) lines.push(line);
  return lines;
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

describe('readLines', () => {
  test('lines carry number, offset, bytes and hash; line ends of both kinds and a byte order mark are not theirs', async () => {
    expect(await linesOf(['\ufeffab\r\n\nc', 'd\n'])).toEqual([
      { number: 1, offset: 0, bytes: Buffer.from('ab'), length: 2, sha256: sha256('ab'), ended: true },
      { number: 3, offset: 8, bytes: Buffer.from('cd'), length: 2, sha256: sha256('cd'), ended: true },
    ]);
  });

  test('a last line without its newline says so', async () => {
    const lines = await linesOf(['a\nb']);
    expect(lines.map(({ ended }) => ended)).toEqual([true, false]);
  });

  test('an empty file and one of blank lines have none', async () => {
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf([' \r\n\t\n'])).toEqual([]);
  });

  test('a line over the limit keeps only length and hash, and the next one is whole', async () => {
    const lines = await linesOf(['ok\n12345', '678', '9\nok\n123456'], 5);
    expect(lines.map(({ bytes, length }) => [bytes?.toString() ?? null, length])).toEqual([
      ['ok', 2],
      [null, 9],
      ['ok', 2],
      [null, 6],
    ]);
    expect(lines[1]?.sha256).toBe(sha256('123456789'));
  });

  test('lines do not depend on where chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', ' ') }),
        fc.nat(7),
        async (text, size) => {
          const bytes = Buffer.from(text);
          const parts: Buffer[] = [];
          for (let at = 0; at < bytes.length; at += size + 1) parts.push(bytes.subarray(at, at + size + 1));
          expect(await linesOf(parts)).toEqual(await linesOf([bytes]));
        },
      ),
    );
  });
});
