import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a TypeScript file as a process; its path is relative to the caller's `import.meta.url`. */
export function startTypescript(file: string, base: string, args: readonly string[]): ChildProcessWithoutNullStreams {
  const loader = new URL('./run-typescript.mjs', import.meta.url).href;
  return spawn(process.execPath, ['--import', loader, fileURLToPath(new URL(file, base)), ...args]);
}
