import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageFile } from '../../src/config/package-file.ts';
import { startTypescript } from '../start-typescript.ts';
import { jsonLines } from './json-lines.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command line as users do, in a process of its own. */
export function startRollstream(...args: readonly string[]): ChildProcessWithoutNullStreams {
  const built = packageFile('dist/src/cli/main.js');
  // The build where it is of these sources: a process then starts in a fifth of the time.
  if (isBuilt(built)) return spawn(process.execPath, [built, ...args]);
  return startTypescript('../../src/cli/main.ts', import.meta.url, args);
}

/** Runs it to its end. */
export async function rollstream(...args: readonly string[]): Promise<Ran> {
  const child = startRollstream(...args);
  child.stdin.end();
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: typeof code === 'number' ? code : null, stdout, stderr };
}

/** The one JSON document that a command printed. */
export function jsonOf<T>(ran: Ran): T {
  if (ran.stdout === '') throw new Error(`nothing on stdout, exit code ${ran.code}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

/** The JSON Lines that a command printed. */
export function jsonLinesOf<T>(ran: Ran): T[] {
  return jsonLines(ran.stdout);
}

function isBuilt(file: string): boolean {
  if (!existsSync(file)) return false;
  const builtAt = statSync(file).mtimeMs;
  return ['src', 'processors', 'schemas'].every((folder) => newestSource(packageFile(folder)) < builtAt);
}

function newestSource(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => statSync(join(folder, path)).mtimeMs),
  );
}
