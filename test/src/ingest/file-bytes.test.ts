import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFile, openStream } from '../../../src/ingest/file-bytes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

describe('openFile', () => {
  test('a file that grows is read up to its size at the beginning, and that is told', async () => {
    const path = join(folder, 'a');
    await writeFile(path, 'one\n');
    const file = await openFile(path);
    await appendFile(path, 'two\n');
    expect(await textOf(file.chunks)).toBe('one\n');
    expect(file.read()).toBe(4);
    expect(await file.changed()).toBe('grew while it was read: taken up to its first 4 bytes');
    await file.close();
  });

  test('a file that is cut short ends there', async () => {
    const path = join(folder, 'a');
    await writeFile(path, 'one\ntwo\n');
    const file = await openFile(path);
    await truncate(path, 5);
    expect(await textOf(file.chunks)).toBe('one\nt');
    expect(await file.changed()).toBe('was cut from 8 to 5 bytes while it was read');
    await file.close();
  });

  test('gzip is told by its first bytes, members one after another are one text', async () => {
    const path = join(folder, 'a.jsonl');
    await writeFile(path, Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
    const file = await openFile(path);
    expect(await textOf(file.chunks)).toBe('one\ntwo\n');
    expect(await file.changed()).toBeNull();
    await file.close();
  });

  test('gzip that ends too early is an error after what was whole', async () => {
    const path = join(folder, 'a.gz');
    await writeFile(path, gzipSync('one\n'.repeat(1000)).subarray(0, -10));
    const file = await openFile(path);
    await expect(textOf(file.chunks)).rejects.toThrow('unexpected end of file');
    await file.close();
  });
});

test('a stream is read as a file is, gzip included', async () => {
  async function* parts(): AsyncGenerator<Buffer> {
    const zipped = gzipSync('one\n');
    yield zipped.subarray(0, 3);
    yield zipped.subarray(3);
  }
  expect(await textOf(openStream(parts()).chunks)).toBe('one\n');
});
