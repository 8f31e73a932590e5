import { createServer, type Server } from 'node:net';

/**
 * Below the range from which systems take the ports of outgoing connections: while a service is away, one of those (a client's
 * connection to itself, even) could take its port.
 */
const FIRST = 15_000;
const COUNT = 17_000;

/** Ports that nobody listens on, held all at once, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const held: { port: number; server: Server }[] = [];
  while (held.length < count) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = await listening(port);
    if (server !== null) held.push({ port, server });
  }
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return held.map(({ port }) => port);
}

/** null: somebody has it. */
function listening(port: number): Promise<Server | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
