import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inputFiles } from '../../../src/ingest/input-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-'));
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  for (const name of ['one.jsonl', 'two.jsonl', 'a/three.jsonl', 'a/b/four.json', 'a/[x].jsonl']) {
    await writeFile(join(folder, name), name);
  }
});
afterEach(() => rm(folder, { recursive: true }));

async function names(...paths: string[]): Promise<string[]> {
  const files = await inputFiles(paths.map((path) => join(folder, path)));
  return files.map((file) => file.path.slice(folder.length + 1));
}

test('a folder gives all its files by name, in steady order', async () => {
  expect(await names('.')).toEqual(['a/[x].jsonl', 'a/b/four.json', 'a/three.jsonl', 'one.jsonl', 'two.jsonl']);
});

test('patterns name files within a folder and below', async () => {
  expect(await names('*.jsonl')).toEqual(['one.jsonl', 'two.jsonl']);
  expect(await names('**/*.jsonl')).toEqual(['a/[x].jsonl', 'a/three.jsonl', 'one.jsonl', 'two.jsonl']);
  expect(await names('[!o]*.jsonl')).toEqual(['two.jsonl']);
  expect(await names('a/t????.jsonl')).toEqual(['a/three.jsonl']);
});

test('a name that looks like a pattern and is there is a name', async () => {
  expect(await names('a/[x].jsonl')).toEqual(['a/[x].jsonl']);
});

test('a file named twice comes once, and as named where it was', async () => {
  const files = await inputFiles([folder, join(folder, 'two.jsonl')]);
  expect(files.filter(({ path }) => path.endsWith('two.jsonl'))).toEqual([
    { path: join(folder, 'two.jsonl'), explicit: true, sizeBytes: 9, folder: folder.split('/').at(-1) },
  ]);
});

test('links that form a circle end nowhere, and a link to a folder is not followed', async () => {
  await symlink('loop.jsonl', join(folder, 'loop.jsonl'));
  await symlink(folder, join(folder, 'a', 'up'));
  expect(await names('.')).toContain('loop.jsonl');
  expect((await names('.')).filter((name) => name.includes('up'))).toEqual([]);
});
