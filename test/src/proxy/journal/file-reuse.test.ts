import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileReuse } from '../../../../src/proxy/journal/file-reuse.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-reuse-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

/** A file that was written, and has ended. */
function ended(files: ReturnType<typeof createFileReuse>, name: string) {
  const file = files.open(at(name));
  writeSync(file, `of ${name}`);
  return files.ended(at(name), file);
}

describe('a file that was emptied', () => {
  it('is that of the next call: the same one, under its name, and with nothing of the other', () => {
    const files = createFileReuse(2);
    const reuse = ended(files, 'a');
    const { ino } = statSync(at('a'));
    truncateSync(at('a'), 0);
    reuse?.(true);
    expect(ended(files, 'b')).not.toBeNull();
    expect(statSync(at('b')).ino).toBe(ino);
    expect(readdirSync(folder)).toEqual(['b']);
    expect(readFileSync(at('b'), 'utf8')).toBe('of b');
  });

  it('is nobody’s where somebody removed it meanwhile: another is made', () => {
    const files = createFileReuse(2);
    const reuse = ended(files, 'a');
    rmSync(at('a'));
    reuse?.(true);
    ended(files, 'b');
    expect(readFileSync(at('b'), 'utf8')).toBe('of b');
  });

  it('is gone once nothing is used again, also where it is emptied later', () => {
    const files = createFileReuse(2);
    const [soon, late] = [ended(files, 'a'), ended(files, 'b')];
    soon?.(true);
    files.close();
    late?.(true);
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('a file that is not read yet, or stays, is not touched', () => {
  const files = createFileReuse(2);
  const reuse = ended(files, 'a');
  ended(files, 'b');
  // Both that may be held are: whoever reads the third removes it.
  expect(ended(files, 'c')).toBeNull();
  reuse?.(false);
  expect(ended(files, 'd')).not.toBeNull();
  files.close();
  expect(['a', 'b', 'c', 'd'].filter((name) => existsSync(at(name)))).toEqual(['a', 'b', 'c', 'd']);
});
