import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LinePiece, lineBlocks } from '../../../src/audit/line-blocks.ts';

async function piecesOf(chunks: readonly string[], limit: number, block: number): Promise<LinePiece[]> {
  async function* source(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const pieces: LinePiece[] = [];
  for await (const piece of lineBlocks(source(), limit, block)) pieces.push(piece);
  return pieces;
}

const text = (piece: LinePiece | undefined) => (piece?.kind === 'block' ? Buffer.from(piece.bytes).toString() : null);

it('however the chunks are cut, blocks are whole lines, all of them, each with the number of its first', async () => {
  const chunks = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r'), maxLength: 12 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.integer({ min: 1, max: 20 }), async (parts, block) => {
      const pieces = await piecesOf(parts, 1000, block);
      expect(pieces.map(text).join('')).toBe(parts.join(''));
      let line = 1;
      for (const [i, piece] of pieces.entries()) {
        if (piece.kind !== 'block') throw new Error('no line is that long');
        expect(piece.firstLine).toBe(line);
        line += (text(piece) ?? '').split('\n').length - 1;
        if (i < pieces.length - 1) expect(text(piece)).toMatch(/\n$/);
      }
    }),
  );
});

it('reads past a line over the limit, tells where it was and how long, and goes on behind it', async () => {
  const long = 'x'.repeat(50);
  const pieces = await piecesOf(['one\ntw', 'o\n', long.slice(0, 20), long.slice(20), '\nthree\n'], 16, 1000);
  expect(pieces.map((piece) => text(piece) ?? piece)).toEqual([
    'one\ntwo\n',
    { kind: 'overlong', line: 3, length: 50 },
    'three\n',
  ]);
  expect(pieces[2]).toMatchObject({ firstLine: 4 });
});

it('a line over the limit may be the last', async () => {
  const pieces = await piecesOf(['a\n', 'x'.repeat(40)], 16, 1000);
  expect(pieces.at(-1)).toEqual({ kind: 'overlong', line: 2, length: 40 });
});
