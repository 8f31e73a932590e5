import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { packageFile } from '../../src/config/package-file.ts';
import { type StartedServer, startedServer } from '../bench/started-server.ts';
import { startRollstream } from '../e2e/rollstream.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the example rollouts are served. */
    readonly exampleUrl: string;
    /** Where the run `big` of 100,000 trajectories is served. */
    readonly bigUrl: string;
  }
}

const TRAJECTORIES = 100_000;

/** Two servers for all tests of the page: of the example rollouts, and of a large run. The page is as the sources have it. */
export default async function served(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-web-'));
  const big = join(folder, 'big');
  const generator = packageFile('test', 'bench', 'analytics-run.child.ts');
  const loader = packageFile('test', 'run-typescript.mjs');
  const args = ['--data', big, '--run', 'big', '--trajectories', String(TRAJECTORIES)];
  await Promise.all([
    build({ root: packageFile('web'), logLevel: 'warn' }),
    promisify(execFile)(process.execPath, ['--import', loader, generator, ...args]),
  ]);
  const servers = await Promise.all([serve('--example', '--data', join(folder, 'example')), serve('--data', big)]);
  project.provide('exampleUrl', servers[0].url);
  project.provide('bigUrl', servers[1].url);
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
}

function serve(...args: readonly string[]): Promise<StartedServer> {
  return startedServer(startRollstream('up', ...args, '--port', '0'));
}
