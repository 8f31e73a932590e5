import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { checkImport } from './check-import.ts';
import { type ImportData, writeImportData } from './import-data.ts';
import { endPrograms, runProgram, startProgram } from './program.ts';

// Programs start, and machines are slow.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let folder: string;
let input: ImportData;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-two-'));
  input = await writeImportData(folder, 'two imports', { rollouts: 150, groups: 20 });
});
afterAll(async () => {
  await endPrograms();
  await rm(folder, { recursive: true, force: true });
});

it('of two imports at once into one folder the second is refused by name of the first, and the first is whole', async () => {
  const data = join(folder, 'alone');
  const args = ['import', ...input.folders, '--data', data, '--json'];
  const both = [startProgram(args), startProgram(args)] as const;
  const ended = await Promise.all(both.map(({ ended }) => ended));
  const won = ended.findIndex(({ code }) => code === 0);
  const lost = ended[1 - won];
  expect(won, ended.map(({ stderr }) => stderr).join('\n')).toBeGreaterThanOrEqual(0);
  expect(lost?.code).toBe(3);
  expect(lost?.stderr).toContain(`pid ${both[won]?.child.pid}`);
  expect(lost?.stderr).toContain('[RS_DATA_OWNED]');
  expect(await checkImport(data, input.expected)).toEqual([]);
});

it('two imports at once beside a server both go to the server, and everything is there once', async () => {
  const data = join(folder, 'served');
  const server = startProgram(['up', '--data', data, '--port', '0']);
  await server.saying(/serving at http/);
  const args = ['import', ...input.folders, '--data', data, '--json'];
  await Promise.all([runProgram(args), runProgram(args)]);
  expect(await checkImport(data, input.expected)).toEqual([]);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  expect(await checkImport(data, input.expected)).toEqual([]);
});
