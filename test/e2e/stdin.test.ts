import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { jsonLinesOf, rollstream, startRollstream } from './rollstream.ts';

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

// The engine in the process reads stdin too when rows are inserted from a file: what stood there became rows.
it('imports what is piped into it', async () => {
  const data = join(folder, 'piped');
  expect(await importWithStdin(data, '-', '--run', 'piped')).toMatchObject({ records_read: 5 });
  const rows = await rollstream(
    'query',
    'SELECT count() AS n FROM rollstream.documents',
    '--data',
    data,
    '--format',
    'jsonl',
  );
  expect(jsonLinesOf(rows)).toEqual([{ n: 2 }]);
});

it('takes nothing from a stdin that it was not told to read', async () => {
  const data = join(folder, 'beside');
  expect(await importWithStdin(data, example)).toMatchObject({ records_read: 5 });
  const rows = await rollstream(
    'query',
    'SELECT count() AS n FROM rollstream.documents',
    '--data',
    data,
    '--format',
    'jsonl',
  );
  expect(jsonLinesOf(rows)).toEqual([{ n: 2 }]);
});
