import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { RollstreamError } from '../errors.ts';

export interface Listener {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Stops accepting, lets running requests end for so long, then cuts them. */
  close(graceMs: number): Promise<void>;
}

/** Who sent a request: the other end of its connection. */
export interface Sender {
  readonly address: string;
}

type Fetch = (request: Request, sender: Sender) => Response | Promise<Response>;

/** What listens on every address is reached on loopback. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** What is served: where it looks for a port, and the key that names one. */
export interface ListenFor {
  readonly firstPort: number;
  readonly field: string;
}

const API: ListenFor = { firstPort: 8080, field: 'http.port' };
const PORTS_TRIED = 100;
/** Statements may stand in a URL. */
const MAX_HEAD_BYTES = 1024 * 1024;
/** Node's 5 s is shorter than an importer thinks about a large batch: it would find its connection closed, and take that for an outage. */
const KEEP_ALIVE_MS = 75_000;
/** Connections that may come at once, before they are accepted: of a thousand trainers that start together half found Node's 511 full, and tried again a second later. */
const BACKLOG = 4_096;

/** Listens on the port, or without one on the first (8080 for the API), else the next free one. */
export async function listen(
  host: string,
  port: number | null,
  fetch: Fetch,
  { firstPort, field }: ListenFor = API,
): Promise<Listener> {
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => fetch(request, { address: incoming.socket.remoteAddress ?? '' }),
    serverOptions: { maxHeaderSize: MAX_HEAD_BYTES, keepAliveTimeout: KEEP_ALIVE_MS },
  });
  const bind = (number: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: number, host, backlog: BACKLOG }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await bindFirstFree(bind, host, port, { firstPort, field });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening, but not on a port');
  const name = ANY[host] ?? (host.includes(':') ? `[${host}]` : host);
  return {
    url: `http://${name}:${address.port}`,
    close: (graceMs) =>
      new Promise((resolve) => {
        const cut = setTimeout(() => {
          if ('closeAllConnections' in server) server.closeAllConnections();
        }, graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        if ('closeIdleConnections' in server) server.closeIdleConnections();
      }),
  };
}

async function bindFirstFree(
  bind: (port: number) => Promise<void>,
  host: string,
  port: number | null,
  { firstPort, field }: ListenFor,
): Promise<void> {
  const last = port ?? firstPort + PORTS_TRIED - 1;
  for (let candidate = port ?? firstPort; ; candidate += 1) {
    try {
      return await bind(candidate);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : '';
      if (code === 'EADDRINUSE' && candidate < last) continue;
      const why = code === 'EADDRINUSE' ? 'the port is taken' : cause instanceof Error ? cause.message : String(cause);
      throw new RollstreamError('RS_CONFIG', `cannot listen on ${host}:${candidate}: ${why}`, {
        cause,
        facts: { field },
      });
    }
  }
}
