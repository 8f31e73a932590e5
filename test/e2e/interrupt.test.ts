import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { checkImport } from './check-import.ts';
import { type ImportData, writeImportData } from './import-data.ts';
import { endPrograms, startProgram } from './program.ts';
import { told } from './told.ts';
import { untilAppended } from './until-appended.ts';

// Programs start, and machines are slow.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Of which the import is in full swing; it writes several times as much. */
const IN_FULL_SWING = 300_000;

let folder: string;
let data: string;
let input: ImportData;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-interrupt-'));
  data = join(folder, 'data');
  input = await writeImportData(folder, 'interrupt', { rollouts: 400, groups: 30 });
});
afterAll(async () => {
  await endPrograms();
  await rm(folder, { recursive: true, force: true });
});

const importArgs = () => ['import', ...input.folders, '--data', data, '--json'];

/** Closing has ten seconds; on its way out the program says when it has taken longer, and ends with 3 and other words. */
const OVERDUE = 'closing took too long';

it('Ctrl-C during an import closes in time', async () => {
  const { child, ended } = startProgram(importArgs());
  await untilAppended(data, IN_FULL_SWING);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(3);
  expect(stderr).toContain('[RS_INTERRUPTED]');
  expect(stderr).not.toContain(OVERDUE);
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s to a server under load closes it in time', async (signal) => {
  const server = startProgram(['up', '--data', data, '--port', '0']);
  await server.saying(/serving at http/);
  const client = startProgram(importArgs());
  await untilAppended(data, IN_FULL_SWING);
  server.child.kill(signal);
  const { code, stderr } = await server.ended;
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain(OVERDUE);
  // The client loses its server, unless it had just come to its end.
  expect([0, 3]).toContain((await client.ended).code);
});

it('the same import again completes what was interrupted; nothing that was acknowledged is lost', async () => {
  await told(importArgs());
  expect(await checkImport(data, input.expected)).toEqual([]);
});
