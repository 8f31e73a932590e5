import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Whom a front makes of the recorders behind it. */
export type Naive =
  /** Forgets events before the server has them: it is answered before they are sent on. */
  | 'answers_early'
  /** Names an event anew each time that it sends it. */
  | 'new_ids';

export interface Front {
  readonly url: string;
  /** Answers that were lost on their way back. */
  lost(): number;
  /** Answers that asked to come again later. */
  busy(): number;
  close(): Promise<void>;
}

/** Stands between producers and the server. The first answer of the server is lost, and every third: what it said yes to is sent again. */
export async function startLossyFront(port: number, serverUrl: string, naive: Naive | null): Promise<Front> {
  let [asked, lost, busy] = [0, 0, 0];

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    asked += 1;
    const number = asked;
    const body = await buffer(request);
    const type = request.headers['content-type'] ?? '';
    const isSteps = request.url === '/v1/steps';
    if (naive === 'answers_early' && isSteps) {
      response.writeHead(200).end(JSON.stringify({ accepted: linesOf(body).length, refused: [] }));
    }
    const sent = naive === 'new_ids' && isSteps ? renamed(body, number) : body;
    const answer = await fetch(`${serverUrl}${request.url}`, {
      ...{ method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(sent) },
    }).catch(() => null);
    const text = await answer?.arrayBuffer().catch(() => null);
    if (answer !== null && [429, 503, 507].includes(answer.status)) busy += 1;
    if (response.writableEnded) return;
    if (answer === null || text === null || text === undefined) response.destroy();
    else if (number % 3 === 1) {
      lost += 1;
      response.destroy();
    } else {
      const retryAfter = answer.headers.get('retry-after');
      response.writeHead(answer.status, retryAfter === null ? {} : { 'retry-after': retryAfter });
      response.end(Buffer.from(text));
    }
  }

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    lost: () => lost,
    busy: () => busy,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function linesOf(body: Buffer): string[] {
  return body
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}

function renamed(body: Buffer, number: number): Buffer {
  const lines = linesOf(body).map((line) => line.replace(/"event_id":"/, `"event_id":"${number}-`));
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
