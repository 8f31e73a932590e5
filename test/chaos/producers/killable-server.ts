import { setTimeout as sleep } from 'node:timers/promises';
import { type Started, startProgram } from '../../e2e/program.ts';

/** `rollstream up`, embedded, that goes away and comes back where it was. */
export interface KillableServer {
  readonly url: string;
  kills(): number;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Resolves once it serves. */
  start(): Promise<void>;
  /** SIGTERM; its exit code. */
  stop(): Promise<number | null>;
}

const POLL_MS = 50;

export function createKillableServer(port: number, dataFolder: string, configFile: string): KillableServer {
  const url = `http://127.0.0.1:${port}`;
  let running: Started | null = null;
  let kills = 0;

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const one = running;
    running = null;
    one?.child.kill(signal);
    return (await one?.ended)?.code ?? null;
  }

  return {
    url,
    kills: () => kills,
    async kill() {
      if (running === null) return;
      kills += 1;
      await end('SIGKILL');
    },
    async start() {
      if (running !== null) return;
      const one = startProgram(['up', '--port', String(port), '--data', dataFolder, '--config', configFile]);
      running = one;
      let over: string | null = null;
      one.ended.then(({ code, stderr }) => {
        over = `the server ended with ${code}: ${stderr}`;
      });
      while (running === one && !(await isReady(url))) {
        if (over !== null) throw new Error(over);
        await sleep(POLL_MS);
      }
    },
    stop: () => end('SIGTERM'),
  };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => null);
  await answer?.arrayBuffer().catch(() => null);
  return answer?.status === 200;
}
