import { once } from 'node:events';
import { type Started, startProgram } from './program.ts';

/** A program that is killed with -9, and started again as it was: on the same folder, at the same address. */
export interface KilledProgram {
  readonly url: string;
  /** Resolves once it is gone. */
  kill(): Promise<void>;
  /** Resolves once it serves. */
  start(): Promise<void>;
}

/** `argsOf`: its arguments at a port, 0 at first. `serving`: what it says then, with its address. */
export async function startKilled(argsOf: (port: string) => string[], serving: RegExp): Promise<KilledProgram> {
  let url = '';
  let running: Started;
  async function start(): Promise<void> {
    running = startProgram(argsOf(url === '' ? '0' : new URL(url).port));
    const [, said = ''] = await running.saying(serving);
    url = said;
  }
  await start();
  return {
    get url() {
      return url;
    },
    async kill() {
      const gone = once(running.child, 'exit');
      running.child.kill('SIGKILL');
      await gone;
    },
    start,
  };
}
