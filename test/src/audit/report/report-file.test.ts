import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openReportFile } from '../../../../src/audit/report/report-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-report-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('has its name only once it is whole', async () => {
  const path = join(folder, 'audit.xml');
  await writeFile(path, '<old/>');
  const file = await openReportFile(path, []);
  await file.handle.writeFile('<ne');
  expect(await readFile(path, 'utf8')).toBe('<old/>');
  await file.handle.writeFile('w/>');
  await file.keep();
  expect(await readFile(path, 'utf8')).toBe('<new/>');
  expect(await readdir(folder)).toEqual(['audit.xml']);
});

it('leaves the earlier report, and nothing beside it, where it will never be whole', async () => {
  const path = join(folder, 'audit.xml');
  await writeFile(path, '<old/>');
  const file = await openReportFile(path, []);
  await file.handle.writeFile('<ne');
  await file.discard();
  expect(await readFile(path, 'utf8')).toBe('<old/>');
  expect(await readdir(folder)).toEqual(['audit.xml']);
});

it('never writes over the rollouts, by whatever name, and does over a report that stands among them', async () => {
  const rollouts = join(folder, 'rollouts.jsonl');
  await writeFile(rollouts, '{"a":1}\n');
  await symlink(rollouts, join(folder, 'link'));
  for (const name of ['rollouts.jsonl', 'link'])
    await expect(openReportFile(join(folder, name), ['-', rollouts])).rejects.toMatchObject({ code: 'RS_USAGE' });
  expect(await readFile(rollouts, 'utf8')).toBe('{"a":1}\n');
  const page = join(folder, 'audit.html');
  await writeFile(page, '<!doctype html>');
  const file = await openReportFile(page, [rollouts, page]);
  await file.handle.writeFile('<p>');
  await file.keep();
  expect(await readFile(page, 'utf8')).toBe('<p>');
});

it('says at once that a folder is not there, and that a folder is no file', async () => {
  for (const path of [join(folder, 'nowhere', 'audit.html'), folder])
    await expect(openReportFile(path, [])).rejects.toMatchObject({ code: 'RS_USAGE' });
});
