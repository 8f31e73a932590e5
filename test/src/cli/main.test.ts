import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageFile } from '../../../src/config/package-file.ts';

/** What only a process can show, on the command as it is built: exit codes as a shell sees them, signals, closed pipes. */

const BUILT = packageFile('dist', 'src', 'cli', 'main.js');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-main-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function rollstream(...args: string[]) {
  return spawn(BUILT, [...args, '--data', join(folder, 'data')]);
}

async function exitOf(child: ChildProcess): Promise<number | string> {
  const [code, signal] = await once(child, 'exit');
  return code ?? signal;
}

it('the exit code of the command is that of the process', async () => {
  expect(await exitOf(rollstream('accounting'))).toBe(2);
  const examples = packageFile('examples', 'rollouts', 'calculator-strands', 'results.jsonl');
  expect(await exitOf(rollstream('import', examples))).toBe(4);
  expect(await exitOf(rollstream('accounting'))).toBe(0);
  expect(await exitOf(rollstream('explain', 'nobody'))).toBe(1);
});

it('a reader that has enough ends it quietly, with 0', async () => {
  const child = rollstream('ready');
  const errors = text(child.stderr);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await exitOf(child)).toBe(0);
  expect(await errors).toBe('');
});

it('SIGTERM closes a server with 0, and what was committed is there after', async () => {
  const server = rollstream('up', '--port', '0', '--log-level', 'silent');
  await once(server.stderr, 'data');
  const ended = exitOf(server);
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(await exitOf(rollstream('accounting'))).toBe(0);
});

it('an owner that was killed with -9 is in nobody’s way', async () => {
  const server = rollstream('up', '--port', '0', '--log-level', 'silent');
  await once(server.stderr, 'data');
  const ended = exitOf(server);
  server.kill('SIGKILL');
  expect(await ended).toBe('SIGKILL');
  expect(await exitOf(rollstream('accounting'))).toBe(0);
});

it('--version needs no data and no service', () => {
  const { status, stdout } = spawnSync(BUILT, ['--version'], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
