import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Exported } from '../../../src/export/export-query.ts';
import { leftOutLine } from '../../../src/export/left-out.ts';
import { writeExport } from '../../../src/export/write-export.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-write-export-'));
  path = join(folder, 'run.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

const signal = new AbortController().signal;
const of = (bytes: Readable, without = 0): Exported => ({ trajectories: 2, without, bytes });

async function* breakingOff(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"a":1}\n{"b"');
  throw new Error('the server broke off');
}

it('what breaks off leaves the file that was there, and nothing of its own', async () => {
  await writeFile(path, 'before');
  for (const format of ['jsonl', 'parquet'] as const)
    await expect(writeExport(of(Readable.from(breakingOff())), { path, format, signal })).rejects.toThrow('broke off');
  expect(await readdir(folder)).toEqual(['run.jsonl']);
  expect(await readFile(path, 'utf8')).toBe('before');
});

it('who is interrupted is told that nothing was written', async () => {
  const stopped = new AbortController();
  const endless = new Readable({ read() {} });
  endless.push('{"a":1}\n');
  const writing = writeExport(of(endless), { path, format: 'jsonl', signal: stopped.signal });
  stopped.abort();
  await expect(writing).rejects.toMatchObject({ code: 'RS_INTERRUPTED' });
  expect(await readdir(folder)).toEqual([]);
});

it('counts what is in the file and what is not, by its reason; a file without a line is none', async () => {
  const left = leftOutLine({ rollout_id: 'r', attempt: 0 }, 'no_prompt');
  const some = await writeExport(of(Readable.from([Buffer.from(`{"a":1}\n${left}`)]), 3), {
    path,
    format: 'jsonl',
    signal,
  });
  expect(some).toEqual({ path, trajectories: 1, left_out: { superseded: 3, no_prompt: 1 } });
  const none = await writeExport(of(Readable.from([Buffer.from(left)])), {
    path: join(folder, 'none'),
    format: 'jsonl',
    signal,
  });
  expect(none).toEqual({ path: null, trajectories: 0, left_out: { no_prompt: 1 } });
  expect(await readdir(folder)).toEqual(['run.jsonl']);
});

it('a folder that is not there is told, and is no bug', async () => {
  const nowhere = join(folder, 'nowhere', 'run.jsonl');
  const writing = writeExport(of(Readable.from([Buffer.from('{}\n')])), { path: nowhere, format: 'jsonl', signal });
  await expect(writing).rejects.toMatchObject({ code: 'RS_FILE_UNREADABLE', facts: { file: nowhere } });
});
