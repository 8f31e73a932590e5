import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { startRollstream } from './rollstream.ts';
import { told } from './told.ts';

const example = packageFile('examples/rollouts/recipe-strands/results.jsonl');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-stdin-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function importWithStdin(data: string, ...args: readonly string[]): Promise<{ records_read: number }> {
  const child = startRollstream('import', ...args, '--data', data, '--json');
  const [stdout] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    pipeline(createReadStream(example), child.stdin).catch(() => {}),
    once(child, 'close'),
  ]);
  return JSON.parse(stdout);
}

async function documents(data: string): Promise<unknown> {
  const sql = 'SELECT count() AS n FROM rollstream.documents';
  return JSON.parse(await told(['query', sql, '--data', data, '--format', 'json']));
}

// The engine in the process reads stdin too when rows are inserted from a file: what stood there became rows.
it('imports what is piped into it', async () => {
  const data = join(folder, 'piped');
  expect(await importWithStdin(data, '-', '--run', 'piped')).toMatchObject({ records_read: 5 });
  expect(await documents(data)).toEqual([{ n: 2 }]);
});

it('takes nothing from a stdin that it was not told to read', async () => {
  const data = join(folder, 'beside');
  expect(await importWithStdin(data, example)).toMatchObject({ records_read: 5 });
  expect(await documents(data)).toEqual([{ n: 2 }]);
});
