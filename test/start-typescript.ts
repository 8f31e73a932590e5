import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageFile } from '../src/config/package-file.ts';

/** Starts a TypeScript file as a process; its path is relative to the caller's `import.meta.url`. */
export function startTypescript(file: string, base: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  // A caller that was built finds the source beside the build.
  const path = relative(packageFile(), fileURLToPath(new URL(file, base))).replace(/^dist[\\/]/, '');
  const loader = pathToFileURL(packageFile('test', 'run-typescript.mjs')).href;
  return spawn(process.execPath, ['--import', loader, join(packageFile(), path), ...args], {
    // Node has four threads for files and engines; a server of several inserts at a time needs more.
    env: { UV_THREADPOOL_SIZE: '12', ...process.env },
  });
}
