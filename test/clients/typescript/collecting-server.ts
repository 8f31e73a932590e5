import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';

/** A step event as it travels: arrays unpacked, defaults left out. */
export type SentEvent = { readonly [Key in keyof StepEvent]?: Unpacked<StepEvent[Key]> } & {
  readonly event_id: string;
};
type Unpacked<T> = T extends Buffer
  ? string | number[]
  : T extends object
    ? { readonly [Key in keyof T]?: Unpacked<T[Key]> }
    : T;

export interface Request {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface CollectingServer {
  readonly url: string;
  /** What arrived and was taken, in order. */
  readonly requests: Request[];
  /** Each event once, in order of arrival. */
  events(): SentEvent[];
  /** Asked before each answer; null: it is taken. */
  refuse(how: (request: Request) => Refusal | null): void;
  /** A request that was taken, from now on. */
  taken(): Promise<void>;
  close(): Promise<void>;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** Speaks as POST /v1/steps and POST /v1/producers/ended do, and keeps what it was sent. */
export async function startCollectingServer(port = 0): Promise<CollectingServer> {
  const requests: Request[] = [];
  let refusal: (request: Request) => Refusal | null = () => null;
  let told: (() => void)[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const text = (incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
    const request = { path: incoming.url ?? '', headers: incoming.headers, text };
    const refused = refusal(request);
    response.writeHead(refused?.status ?? 200, { 'content-type': 'application/json', ...refused?.headers });
    response.end(JSON.stringify(refused?.body ?? { accepted: linesOf(text).length, refused: [], refused_count: 0 }));
    if (refused !== null && refused.body === undefined) return;
    requests.push(request);
    for (const resolve of told.splice(0)) resolve();
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    events() {
      const sent = requests.filter(({ path }) => path === '/v1/steps').flatMap(({ text }) => linesOf(text));
      return [...new Map(sent.map((event) => [event.event_id, event])).values()];
    },
    refuse(how) {
      refusal = how;
    },
    taken: () => new Promise((resolve) => told.push(resolve)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      told = [];
    },
  };
}

function linesOf(text: string): SentEvent[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): SentEvent => JSON.parse(line));
}
