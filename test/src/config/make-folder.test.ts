import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../../src/config/make-folder.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'rollstream-make-'));
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
});
afterAll(() => rmSync(root, { recursive: true }));

describe('a folder', () => {
  it('is made with those above it, also by several at once, and one that is there stays', async () => {
    const folder = join(root, 'a', 'b', 'c');
    await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(folder, 'd'))]);
    await makeFolder(folder);
    expect(statSync(join(folder, 'd')).isDirectory()).toBe(true);
  });

  it.each([
    ['file', 'EEXIST'],
    ['file/below', 'ENOTDIR'],
    ['dangling', 'EEXIST'],
    ['dangling/below', 'EEXIST'],
  ])('%s cannot be made: %s', async (name, code) => {
    await expect(makeFolder(join(root, name))).rejects.toMatchObject({ code });
  });

  it.runIf(process.platform === 'linux')('where nobody can make one fails, and is not tried for ever', async () => {
    await expect(makeFolder('/proc/nope')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(makeFolder('/proc/nope/below')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
