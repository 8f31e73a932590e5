import { connect as connectTo, createServer, type Socket } from 'node:net';

/** Requests of Kafka's protocol, by key. */
export const API = { produce: 0, fetch: 1, heartbeat: 12, endTxn: 26 } as const;

/** Stands between a client and the broker, and understands just enough to lose what it is told to. */
export interface FaultyProxy {
  /** Of the next `count` requests of a kind the broker does the work, and the answer is lost with the connection. */
  loseAnswers(apiKey: number, count: number): void;
  /** How many were lost. */
  readonly lost: number;
  /** As freeze, once the broker has done a request of this kind. */
  freezeAfter(apiKey: number): void;
  /** From now on nothing passes; connections stay open: a network that went away, a process that was stopped. */
  freeze(): void;
  /** New connections pass; the old ones are cut. */
  thaw(): void;
  close(): Promise<void>;
}

export async function startFaultyProxy(ports: {
  readonly to: number;
  readonly advertised: number;
}): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  const losses = new Map<number, number>();
  let lost = 0;
  let frozen = false;
  let freezesAfter = -1;

  const server = createServer((client) => {
    const broker = connectTo(ports.to, '127.0.0.1');
    const apiKeys = new Map<number, number>();
    const cut = (): void => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', cut).on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    const request = onFrames((frame) => {
      if (frozen) return;
      apiKeys.set(frame.readInt32BE(8), frame.readInt16BE(4));
      broker.write(frame);
    });
    const answer = onFrames((frame) => {
      if (frozen) return;
      const apiKey = apiKeys.get(frame.readInt32BE(4)) ?? -1;
      if (apiKey === freezesAfter) {
        frozen = true;
        return;
      }
      const left = losses.get(apiKey) ?? 0;
      if (left > 0) {
        losses.set(apiKey, left - 1);
        lost++;
        cut();
      } else client.write(frame);
    });
    client.on('data', request);
    broker.on('data', answer);
  });
  await new Promise<void>((resolve) => server.listen(ports.advertised, '127.0.0.1', resolve));

  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    loseAnswers: (apiKey, count) => losses.set(apiKey, count),
    get lost() {
      return lost;
    },
    freezeAfter(apiKey) {
      freezesAfter = apiKey;
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      freezesAfter = -1;
      cutAll();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cutAll();
      await closed;
    },
  };
}

/** Calls `take` with each whole frame, its size included. */
function onFrames(take: (frame: Buffer) => void): (data: Buffer) => void {
  let held: Buffer = Buffer.alloc(0);
  return (data) => {
    held = Buffer.concat([held, data]);
    while (held.length >= 4 && held.length >= 4 + held.readInt32BE(0)) {
      const end = 4 + held.readInt32BE(0);
      take(held.subarray(0, end));
      held = held.subarray(end);
    }
  };
}
