import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * What goes wrong with one insert.
 * half sent: the connection breaks while the rows are on their way; answer lost: the server has done it, and nobody hears of
 * it; half answered: the answer breaks off; silent: nothing comes, until the client gives up.
 */
export type Fault = 'half sent' | 'answer lost' | 'half answered' | 'silent' | 'HTTP 503' | 'too many parts' | 'slow';

export interface FaultyProxy {
  readonly url: string;
  /** The next inserts go wrong, one each; queries pass. */
  plan(...faults: readonly Fault[]): void;
  /** Inserts that the server has answered. */
  readonly done: () => number;
  /** Nobody listens any more. */
  stop(): Promise<void>;
  /** Listens again, on the same port. */
  start(): Promise<void>;
}

/** Stands between a client and the server, and fails as it is told. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  const faults: Fault[] = [];
  let done = 0;
  let port = 0;

  const server = createServer((incoming, outgoing) => {
    const isInsert = /[?&]query=INSERT/i.test(incoming.url ?? '');
    const fault = isInsert ? faults.shift() : undefined;
    if (fault === 'HTTP 503') return answer(incoming, outgoing, 503, '<html>no upstream</html>');
    if (fault === 'too many parts') {
      const text = 'Code: 252. DB::Exception: Too many parts (300) in all data parts in total. (TOO_MANY_PARTS)\n';
      return answer(incoming, outgoing, 500, text, { 'x-clickhouse-exception-code': '252' });
    }
    if (fault === 'silent') return incoming.resume();
    const onward = request(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      headers: incoming.headers,
    });
    onward.on('error', () => incoming.socket.destroy());
    if (fault === 'half sent') {
      incoming.once('data', (chunk: Buffer) => {
        onward.write(chunk.subarray(0, chunk.length / 2), () => {
          onward.destroy();
          incoming.socket.destroy();
        });
      });
      return;
    }
    onward.on('response', (response) => {
      if (isInsert) done++;
      if (fault === 'answer lost') return incoming.socket.destroy();
      const headers = { ...response.headers };
      if (fault === 'half answered') {
        // A length that never comes.
        outgoing
          .writeHead(200, { ...headers, 'content-length': '1000' })
          .write('half', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(response.statusCode ?? 502, headers);
      if (fault === 'slow') setTimeout(() => response.pipe(outgoing), 500);
      else response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  const start = (): Promise<void> => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await start();
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening, but not on a port');
  port = address.port;
  return {
    url: `http://127.0.0.1:${port}`,
    plan: (...planned) => faults.push(...planned),
    done: () => done,
    start,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  incoming.resume().on('end', () => outgoing.writeHead(status, headers).end(text));
}
