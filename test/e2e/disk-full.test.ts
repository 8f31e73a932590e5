import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkImport } from './check-import.ts';
import { writeImportData } from './import-data.ts';
import { endPrograms, runProgram, startProgram } from './program.ts';

// Programs start, and machines are slow.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

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
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    await endPrograms();
    execFileSync('umount', [disk]);
    await rm(folder, { recursive: true, force: true });
  });

  /** With 1 MB the log is full first, and the import ends; with 5 MB the store is, and the lane waits for room. */
  for (const [freeMib, code] of [
    [1, 3],
    [5, 0],
  ] as const)
    it(`an import that runs out of disk (${freeMib} MB left) says so, and is completed once there is room`, async () => {
      const input = await writeImportData(folder, `disk full ${freeMib}`, { rollouts: 700, groups: 50 });
      const data = join(disk, 'data');
      const args = ['import', ...input.folders, '--data', data, '--json'];
      // The log, the store and its own tables are there before the disk is full.
      await runProgram(['up', '--once', '--json', '--data', data]);
      await fillUntil(freeMib);
      const { saying, ended } = startProgram(args);
      await saying(code === 3 ? /\[RS_DISK_FULL\]/ : /RS_DISK_FULL|NOT_ENOUGH_SPACE/);
      await rm(join(disk, 'ballast'));
      const first = await ended;
      expect(first.code, first.stderr).toBe(code);
      if (code !== 0) await runProgram(args);
      expect(await checkImport(data, input.expected)).toEqual([]);
    });

  async function fillUntil(freeMib: number): Promise<void> {
    const words = execFileSync('df', ['--output=avail', '-B1', disk], { encoding: 'utf8' }).trim().split('\n');
    await writeFile(join(disk, 'ballast'), Buffer.alloc(Number(words.at(-1)) - freeMib * MIB));
  }
});
