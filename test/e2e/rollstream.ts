import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { startTypescript } from '../start-typescript.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line as users do, in a process of its own, to its end. */
export async function rollstream(...args: readonly string[]): Promise<Ran> {
  const child = startTypescript('../../src/cli/main.ts', import.meta.url, args);
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
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): T => JSON.parse(line));
}
