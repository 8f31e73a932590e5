import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { packageFile } from '../../src/config/package-file.ts';
import { type StartedServer, startedServer } from '../bench/started-server.ts';
import { startTypescript } from '../start-typescript.ts';

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
  await build({ root: packageFile('web'), logLevel: 'warn' });
  const big = join(folder, 'big');
  const generator = packageFile('test', 'bench', 'analytics-run.child.ts');
  const loader = packageFile('test', 'run-typescript.mjs');
  const args = ['--data', big, '--run', 'big', '--trajectories', String(TRAJECTORIES)];
  execFileSync(process.execPath, ['--import', loader, generator, ...args]);
  const servers = await Promise.all([serve('--example', '--data', join(folder, 'example')), serve('--data', big)]);
  project.provide('exampleUrl', servers[0].url);
  project.provide('bigUrl', servers[1].url);
  return async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true, force: true });
  };
}

function serve(...args: readonly string[]): Promise<StartedServer> {
  return startedServer(startTypescript('../../src/cli/main.ts', import.meta.url, ['up', ...args, '--port', '0']));
}
