import http, { type ClientRequest } from 'node:http';
import https from 'node:https';
import { RollstreamError } from '../../errors.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Where requests go on to. */
export interface Upstream {
  /** Its host and port, as a record names a replica and a request its host. */
  readonly host: string;
  /** A request of which nothing is sent yet, on a connection that was not closed when it was looked at. Throws what connecting throws. */
  open(request: UpstreamRequest): Promise<ClientRequest>;
  close(): void;
}

/** Shorter than what servers keep theirs for (uvicorn: 5 s), so that it is we who close them. */
const IDLE_SOCKET_MS = 4_000;
const MAX_IDLE_SOCKETS = 1_024;
const MAX_ANSWER_HEAD_BYTES = 1024 * 1024;

export function createUpstream(url: URL): Upstream {
  const isTls = url.protocol === 'https:';
  const options = { keepAlive: true, maxFreeSockets: MAX_IDLE_SOCKETS, timeout: IDLE_SOCKET_MS } as const;
  const agent = isTls ? new https.Agent(options) : new http.Agent(options);
  const request = isTls ? https.request : http.request;
  const to = {
    ...{ agent, setHost: false, maxHeaderSize: MAX_ANSWER_HEAD_BYTES },
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
  };
  const base = url.pathname.replace(/\/+$/, '');
  const begin = ({ method, target, headers }: UpstreamRequest): ClientRequest => {
    const begun = request({ ...to, method, headers, path: `${base}${target}` });
    // Nobody asked for it, and node tells neither an answer nor an error then.
    begun.once('upgrade', (_, socket) => {
      socket.on('error', () => {}).destroy();
      begun.emit('error', new Error('what it answered is no HTTP (status 101)'));
    });
    return begun;
  };
  return {
    host: url.host,
    async open(wanted) {
      for (;;) {
        const opened = begin(wanted);
        // Of one whose other end has closed it meanwhile: nothing was sent, so that it may be sent on another.
        if (await isAlive(opened)) return opened;
        opened.destroy();
      }
    },
    close: () => agent.destroy(),
  };
}

/** A connection that was idle may be closed already, which is known once the event loop has looked. Rejects where none can be made. */
function isAlive(request: ClientRequest): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let hasFailed = false;
    const failed = (error: Error): void => {
      hasFailed = true;
      if (request.reusedSocket) resolve(false);
      else reject(error);
    };
    request.on('error', failed);
    request.once('socket', (socket) => {
      // Where no connection can even be begun (no port left, no route) that is told right behind this event, with nobody else listening.
      setImmediate(() => {
        if (hasFailed) return;
        const { destroyed, reusedSocket } = request;
        const isOpen = !reusedSocket || (!destroyed && !socket.destroyed && socket.readable && socket.writable);
        // What comes after is told to whoever has it.
        if (isOpen) request.off('error', failed);
        resolve(isOpen);
      });
    });
  });
}

/** What went wrong there, as the proxy's own answer tells it. */
export function upstreamProblem(host: string, error: unknown): RollstreamError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const said = error instanceof Error ? error.message : String(error);
  const why = code.startsWith('HPE_HEADER_OVERFLOW')
    ? 'the head of its answer is too large'
    : code.startsWith('HPE_')
      ? `what it answered is no HTTP (${code})`
      : said === 'socket hang up'
        ? 'it closed the connection without an answer'
        : said || code;
  return new RollstreamError('RS_UPSTREAM_UNREACHABLE', `the upstream ${host} did not answer: ${why}`, {
    cause: error,
    facts: { field: 'upstream' },
  });
}
