import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkImport } from './check-import.ts';
import { writeImportData } from './import-data.ts';
import { runProgram, startProgram } from './program.ts';

/** A disk that is full needs a disk of its own: a small tmpfs, which only root may mount. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
const MIB = 1024 * 1024;

describe.runIf(canMount)('on a small disk (mounted, so only as root)', () => {
  let folder: string;
  let disk: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollstream-full-'));
    disk = join(folder, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    execFileSync('umount', [disk]);
    await rm(folder, { recursive: true, force: true });
  });

  for (const free of [2, 8, 20])
    it(`an import that runs out of disk (${free} MB left) says so, and completes when there is room`, async () => {
      const input = await writeImportData(folder, `disk full ${free}`, { rollouts: 3000, groups: 200 });
      const data = join(disk, 'data');
      const args = ['import', ...input.folders, '--data', data, '--json'];
      // The log, the store and its own tables are there before the disk is full.
      await runProgram(['up', '--once', '--json', '--data', data]);
      await fillUntil(free);
      const failed = await startProgram(args).ended;
      expect(failed.code, failed.stderr).toBe(3);
      expect(failed.stderr).toMatch(/RS_DISK_FULL/);
      expect(failed.stderr).not.toContain('a bug');
      await rm(join(disk, 'ballast'));
      await runProgram(args);
      expect(await checkImport(data, input.expected)).toEqual([]);
    });

  async function fillUntil(freeMib: number): Promise<void> {
    const words = execFileSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' }).trim().split('\n');
    await writeFile(join(disk, 'ballast'), Buffer.alloc(Number(words.at(-1)) - freeMib * MIB));
  }
});
