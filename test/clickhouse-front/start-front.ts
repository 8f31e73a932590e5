import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startTypescript } from '../start-typescript.ts';

export interface FrontProcess {
  readonly url: string;
  readonly folder: string;
  readonly pid: number;
  /** SIGKILL, the folder stays. */
  kill(): Promise<void>;
  /** Kills it and removes the folder. */
  remove(): Promise<void>;
}

export interface FrontSettings {
  /** A folder that was served before; else a new one. */
  readonly folder?: string;
  /** 0: any free one. */
  readonly port?: number;
  readonly writable?: boolean;
  readonly token?: string;
  readonly migrate?: boolean;
}

/** The ClickHouse server of a test, in a process of its own. */
export async function startFront({ folder: given, port = 0, ...flags }: FrontSettings): Promise<FrontProcess> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'rollstream-front-')));
  const args = ['--data', folder, '--port', String(port)];
  if (flags.writable) args.push('--writable');
  if (flags.migrate) args.push('--migrate');
  if (flags.token !== undefined) args.push('--token', flags.token);
  const child = startTypescript('./front-process.ts', import.meta.url, args);
  child.stderr.pipe(process.stderr);
  const exited = once(child, 'exit');
  const line = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  if (line.done === true) throw new Error('the front ended before it served');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    url: line.value,
    folder,
    pid: child.pid ?? 0,
    kill,
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
