import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { RollstreamError } from '../../errors.ts';
import { createGuard } from '../../server/guard.ts';
import type { CheckProxyToken } from './check-token.ts';
import { answerError, rawErrorAnswer } from './error-answer.ts';
import type { ForwardLimits } from './limits.ts';
import type { ModelCalls } from './model-calls.ts';
import { modelRouteOf, unrecordedCall } from './model-route.ts';
import { nameRequest } from './naming/name-request.ts';
import { ownPathOf } from './own/own-path.ts';
import type { OwnPaths } from './own/own-paths.ts';
import { passThrough } from './pass-through.ts';
import type { Problems } from './problems.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import { type Upstream, upstreamProblem } from './upstream.ts';

export interface ForwarderDeps {
  readonly upstream: Upstream;
  readonly calls: ModelCalls;
  readonly ownPaths: OwnPaths;
  readonly checkToken: CheckProxyToken;
  readonly limits: ForwardLimits;
  readonly metrics: ProxyMetrics;
  readonly problems: Problems;
  readonly log: Logger;
}

export interface Forwarder {
  /** `http://127.0.0.1:8100` */
  readonly url: string;
  /** Stops accepting, lets calls end for so long, then ends them. */
  close(graceMs: number): Promise<void>;
}

/** Longer than clients think between two calls. */
const KEEP_ALIVE_MS = 75_000;
const BACKLOG = 4_096;

export async function startForwarder(host: string, port: number, deps: ForwarderDeps): Promise<Forwarder> {
  const { upstream, calls, ownPaths, checkToken, limits, metrics, problems, log } = deps;
  const guard = createGuard({ host });
  let inFlight = 0;
  let isClosing = false;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (inFlight > limits.callsInFlight) {
      req.resume();
      throw new RollstreamError('RS_BUSY', `${limits.callsInFlight} calls are in flight already (--max-calls)`);
    }
    const request = nameRequest(req.url ?? '/', req.rawHeaders);
    const own = ownPathOf(request.target);
    if (own?.kind !== 'healthz') checkToken(request.token, req.socket.remoteAddress ?? '');
    if (own !== null) {
      // No page that a browser has open may end rollouts, or read what a proxy knows.
      guard.checkHost(req.headers.host);
      const [origin, site, mode] = [req.headers.origin, header(req, 'sec-fetch-site'), header(req, 'sec-fetch-mode')];
      guard.checkOrigin({ origin, site, mode }, req.headers.host);
      return ownPaths(own, req, res, request);
    }
    const route = modelRouteOf(req.method ?? '', request.target);
    if (route !== null) return calls.forward(req, res, request, route);
    metrics.passed();
    const { target } = request;
    const unrecorded = unrecordedCall(req.method ?? '', target);
    if (unrecorded !== null) problems.say('passed', unrecorded);
    return passThrough(req, res, { upstream, target, silenceMs: limits.upstreamSilenceMs });
  }

  const server = http.createServer(
    { maxHeaderSize: limits.headerBytes, keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false },
    (req, res) => {
      inFlight += 1;
      metrics.began();
      // A client that leaves is told by `close`.
      res.on('error', () => {});
      req.on('error', () => {});
      serve(req, res)
        .catch((error: unknown) => {
          const known = knownError(error, upstream.host);
          if (known.code === 'RS_INTERNAL') log.error({ err: error }, 'a request failed in the proxy itself');
          metrics.refused(known.code);
          answerError(res, known);
        })
        .finally(() => {
          inFlight -= 1;
          metrics.over();
          // A connection that is kept would keep the server.
          if (isClosing) setImmediate(() => server.closeIdleConnections());
        });
    },
  );
  server.on('clientError', (error: Error & { code?: string }, socket) => refuseConnection(error, socket, limits));
  await listening(server, host, port);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('listening, but not on a port');
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${address.port}`,
    close: (graceMs) =>
      new Promise((resolve) => {
        isClosing = true;
        const cut = setTimeout(() => {
          calls.stop();
          setImmediate(() => server.closeAllConnections());
        }, graceMs);
        server.close(() => {
          clearTimeout(cut);
          upstream.close();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/** What is no error of ours is one of the connection to the upstream. */
function knownError(error: unknown, host: string): RollstreamError {
  if (error instanceof RollstreamError) return error;
  if (error instanceof Error && 'syscall' in error) return upstreamProblem(host, error);
  return new RollstreamError('RS_INTERNAL', 'internal error; the log of the proxy has more', { cause: error });
}

/** What came is no request: its head is too long, torn, or no HTTP. */
function refuseConnection(error: Error & { code?: string }, socket: Duplex, { headerBytes }: ForwardLimits): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = `the head of the request has more than ${headerBytes} bytes`;
    socket.end(
      rawErrorAnswer(
        new RollstreamError('RS_TOO_LARGE', message, { facts: { field: 'headers' } }),
        431,
        'Request Header Fields Too Large',
      ),
    );
    return;
  }
  const facts = { facts: { field: 'request' } };
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const known = isLate
    ? new RollstreamError('RS_BODY_STALLED', 'the request did not come whole in time', facts)
    : new RollstreamError('RS_USAGE', `that is no HTTP request: ${error.message}`, facts);
  socket.end(rawErrorAnswer(known, known.status, isLate ? 'Request Timeout' : 'Bad Request'));
}

function listening(server: http.Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: Error & { code?: string }) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message;
      reject(
        new RollstreamError('RS_CONFIG', `cannot listen on ${host}:${port}: ${why}`, {
          cause,
          facts: { field: 'listen' },
        }),
      );
    });
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
