import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { RollstreamError } from '../errors.ts';

export interface Listener {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Stops accepting, lets running requests end for so long, then cuts them. */
  close(graceMs: number): Promise<void>;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** What listens on every address is reached on loopback. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

const FIRST_PORT = 8080;
const PORTS_TRIED = 100;

/** Listens on the port, or without one on 8080, else the next free one. */
export async function listen(host: string, port: number | null, fetch: Fetch): Promise<Listener> {
  const server = createAdaptorServer({ fetch });
  const bind = (number: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(number, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await bindFirstFree(bind, host, port);
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

async function bindFirstFree(bind: (port: number) => Promise<void>, host: string, port: number | null): Promise<void> {
  const last = port ?? FIRST_PORT + PORTS_TRIED - 1;
  for (let candidate = port ?? FIRST_PORT; ; candidate += 1) {
    try {
      return await bind(candidate);
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? cause.code : '';
      if (code === 'EADDRINUSE' && candidate < last) continue;
      const why = code === 'EADDRINUSE' ? 'the port is taken' : cause instanceof Error ? cause.message : String(cause);
      throw new RollstreamError('RS_CONFIG', `cannot listen on ${host}:${candidate}: ${why}`, {
        cause,
        facts: { field: 'http.port' },
      });
    }
  }
}
