import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verdictFileLines } from '../../../src/verify/verdict-file-lines.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-lines-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function linesOf(path: string, stdin = Readable.from([])): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of verdictFileLines(path, stdin)) lines.push(line);
  return lines;
}

it('lines are whole wherever the pieces are cut, the last with or without its end', async () => {
  const bytes = Buffer.from('ä\n\nb\r\nü');
  const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
  expect(await linesOf('-', Readable.from(pieces))).toEqual(['ä', '', 'b\r', 'ü']);
  const file = join(folder, 'some.jsonl');
  writeFileSync(file, 'a\nb\n');
  expect(await linesOf(file)).toEqual(['a', 'b']);
});

it('what cannot be read is an error with its name', async () => {
  const missing = join(folder, 'missing.jsonl');
  await expect(linesOf(missing)).rejects.toMatchObject({ code: 'RS_FILE_UNREADABLE', facts: { file: missing } });
  await expect(linesOf(folder)).rejects.toThrow(/EISDIR/);
});

it('a line without an end is not read into memory', async () => {
  const file = join(folder, 'long.jsonl');
  writeFileSync(file, Buffer.concat([Buffer.from('{}\n'), Buffer.alloc(9 * 2 ** 20, 'x')]));
  await expect(linesOf(file)).rejects.toMatchObject({ code: 'RS_INPUT_REFUSED', facts: { line: 2 } });
});

it('a byte order mark is no part of the first line', async () => {
  expect(await linesOf('-', Readable.from([Buffer.from('\uFEFF{}\n\uFEFFb')]))).toEqual(['{}', '\uFEFFb']);
});

it('a compressed file is told what it is', async () => {
  const refused = linesOf('-', Readable.from([gzipSync('{}\n')]));
  await expect(refused).rejects.toMatchObject({
    code: 'RS_INPUT_REFUSED',
    message: expect.stringContaining('compressed: gunzip'),
  });
});
