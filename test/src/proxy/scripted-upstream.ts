import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What came to it. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Answering = (res: ServerResponse, received: Received, req: IncomingMessage) => unknown;

/** An engine that answers whatever a test wants. */
export interface ScriptedUpstream {
  readonly url: URL;
  readonly received: Received[];
  readonly sockets: Set<Socket>;
  answer: Answering;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<ScriptedUpstream> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = http.createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const one = {
      ...{ method: req.method ?? '', url: req.url ?? '', rawHeaders: req.rawHeaders },
      body: Buffer.concat(chunks).toString('utf8'),
    };
    received.push(one);
    res.on('error', () => {});
    upstream.answer(res, one, req);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: AddressInfo = Object(server.address());
  const upstream: ScriptedUpstream = {
    ...{ url: new URL(`http://127.0.0.1:${port}`), received, sockets },
    answer: (res) => res.end('{}'),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}

export interface Answered {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
  readonly chunks: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
  /** null: whole. */
  readonly error: string | null;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly agent?: http.Agent;
  /** Leaves once it has seen so many chunks. */
  readonly leaveAfter?: number;
}

/** One request, byte by byte as it is given. */
export function ask(
  url: string,
  { method = 'GET', headers = [], body = '', agent, leaveAfter }: Ask = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { host } = new URL(url);
    const length = Buffer.byteLength(body) > 0 ? ['Content-Length', String(Buffer.byteLength(body))] : [];
    const request = http.request(url, {
      method,
      agent: agent ?? false,
      headers: ['Host', host, ...headers, ...length],
    });
    request.on('error', reject);
    request.on('response', (res) => {
      const chunks: Buffer[] = [];
      const done = (error: string | null): void =>
        resolve({
          ...{ status: res.statusCode ?? 0, reason: res.statusMessage ?? '', rawHeaders: res.rawHeaders },
          ...{
            chunks: chunks.map(String),
            body: Buffer.concat(chunks).toString('utf8'),
            trailers: res.rawTrailers,
            error,
          },
        });
      res.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (leaveAfter !== undefined && chunks.length >= leaveAfter) {
          request.destroy();
          done('left');
        }
      });
      res.on('end', () => done(res.complete ? null : 'cut'));
      res.on('error', (error) => done(error.message));
    });
    request.end(body);
  });
}
