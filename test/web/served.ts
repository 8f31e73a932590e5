import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';
import { packageFile } from '../../src/config/package-file.ts';
import { startedServer } from '../bench/started-server.ts';
import { startTypescript } from '../start-typescript.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the example rollouts are served. */
    readonly exampleUrl: string;
  }
}

/** One server for all tests of the page: `up --example` on a folder of its own, with the page as the sources have it. */
export default async function served(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-web-'));
  await build({ root: packageFile('web'), logLevel: 'warn' });
  const child = startTypescript('../../src/cli/main.ts', import.meta.url, [
    ...['up', '--example', '--data', join(folder, 'example'), '--port', '0'],
  ]);
  const server = await startedServer(child);
  project.provide('exampleUrl', server.url);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
