import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../examples/generate/random.ts';

/** The server said no, and would again. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    readonly reason: string,
  ) {
    super(`${code}: ${reason}`);
  }
}

export interface Answer {
  readonly body: Buffer;
  readonly type: string;
  /** Which server was asked. */
  readonly server: string;
}

/** Asks any of the servers until one answers: the same again after a lost answer, a refused connection, a 503. */
export type Ask = (method: 'GET' | 'POST', path: string, body?: object, accept?: string) => Promise<Answer>;

/** Longer than any request waits for more to be ready. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 100;

export function createAsk(servers: readonly string[], random: Random): Ask {
  return async function ask(method, path, body, accept = 'application/json') {
    for (;;) {
      const server = servers[Math.floor(random() * servers.length)] ?? '';
      const init = { method, headers: { accept }, body: body === undefined ? null : JSON.stringify(body) };
      try {
        const answer = await fetch(`${server}${path}`, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
        const bytes = Buffer.from(await answer.arrayBuffer());
        if (answer.ok) return { body: bytes, type: answer.headers.get('content-type') ?? '', server };
        if (answer.status !== 503) throw refusalOf(answer.status, bytes.toString());
      } catch (error) {
        if (error instanceof Refused) throw error;
      }
      await sleep(PAUSE_MS);
    }
  };
}

function refusalOf(status: number, text: string): Refused {
  try {
    const { error } = JSON.parse(text);
    return new Refused(String(error.code), String(error.reason ?? error.message));
  } catch {
    return new Refused(String(status), text);
  }
}
