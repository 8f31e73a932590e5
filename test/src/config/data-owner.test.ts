import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readOwner, takeDataFolder } from '../../../src/config/data-owner.ts';
import { startTypescript } from '../../start-typescript.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-owner-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function startTaker() {
  const child = startTypescript('./take-data-folder.child.ts', import.meta.url, [folder]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => (await lines.next()).value ?? 'the process ended';
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return { child, line, kill };
}

test('a folder has one owner, who is told to the second with its url', async () => {
  const owner = await takeDataFolder(join(folder, 'new'));
  const again = () => takeDataFolder(join(folder, 'new'));
  await expect(again()).rejects.toMatchObject({
    code: 'RS_DATA_OWNED',
    message: `pid ${process.pid} owns ${join(folder, 'new')}; it has not said yet where it can be reached`,
  });
  await owner.announce('http://127.0.0.1:8080');
  await expect(again()).rejects.toThrow(
    `pid ${process.pid} owns ${join(folder, 'new')}; talk to it at http://127.0.0.1:8080`,
  );
  const found = await readOwner(join(folder, 'new'));
  expect(found).toMatchObject({ pid: process.pid, url: 'http://127.0.0.1:8080' });
  expect(Date.parse(found?.startedAt ?? '')).toBeLessThanOrEqual(Date.now());
});

test('a released folder has no owner and can be taken again', async () => {
  for (let round = 0; round < 3; round++) {
    const owner = await takeDataFolder(folder, { url: 'http://127.0.0.1:8080' });
    await owner.release();
    expect(await readOwner(folder)).toBeNull();
    await owner.announce('http://127.0.0.1:9'); // too late: it no longer speaks for the folder
    expect(await readOwner(folder)).toBeNull();
  }
  expect(await readdir(folder)).toHaveLength(1);
});

test('a folder that does not exist has no owner, and asking does not create it', async () => {
  expect(await readOwner(join(folder, 'none'))).toBeNull();
  expect(await readdir(folder)).toEqual([]);
});

test('an owner file that was cut short has no live owner', async () => {
  await writeFile(join(folder, 'owner.4.json'), '{"pid":1,"star');
  expect(await readOwner(folder)).toBeNull();
  const owner = await takeDataFolder(folder);
  expect(await readdir(folder)).toEqual(['owner.5.json']);
  await owner.release();
});

test.runIf(process.platform === 'linux')('a pid that another process has by now is not the owner', async () => {
  const file = {
    pid: process.pid,
    startedAt: '2020-01-01T00:00:00Z',
    url: null,
    process: 'another boot/1',
    released: false,
  };
  await writeFile(join(folder, 'owner.1.json'), JSON.stringify(file));
  expect(await readOwner(folder)).toBeNull();
});

test('of many that find a dead owner at once, in one process, one wins', async () => {
  await writeFile(join(folder, 'owner.1.json'), '');
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => takeDataFolder(folder)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('of processes that race for a folder whose owner was killed, one wins', async () => {
  const first = startTaker();
  expect(await first.line()).toBe('ready');
  first.child.stdin.write('\n');
  expect(await first.line()).toBe('taken');
  expect(await readOwner(folder)).toMatchObject({ pid: first.child.pid, url: 'http://127.0.0.1:1' });
  await expect(takeDataFolder(folder)).rejects.toMatchObject({ code: 'RS_DATA_OWNED' });
  await first.kill();
  expect(await readOwner(folder)).toBeNull();

  const racers = Array.from({ length: 4 }, startTaker);
  expect(await Promise.all(racers.map(({ line }) => line()))).toEqual(racers.map(() => 'ready'));
  for (const { child } of racers) child.stdin.write('\n');
  const said = await Promise.all(racers.map(({ line }) => line()));
  expect(said.sort()).toEqual([...Array.from({ length: 3 }, () => 'RS_DATA_OWNED'), 'taken']);
  await Promise.all(racers.map(({ kill }) => kill()));
});
