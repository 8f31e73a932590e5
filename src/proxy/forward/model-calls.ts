import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallHead } from '../journal/call-head.ts';
import type { FindEngine } from './ask/find-engine.ts';
import type { RefusedAskings } from './ask/refused-askings.ts';
import { type Asking, isStream, namesOf, whatToAsk } from './ask/what-to-ask.ts';
import type { CreateCallRecord } from './call-record.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import { forwardedHeaders, valuesOf } from './forwarded-headers.ts';
import { type BodyObject, bodyObject, withMembers } from './json/insert.ts';
import type { ForwardLimits } from './limits.ts';
import type { ModelRoute } from './model-route.ts';
import type { NamedRequest } from './naming/name-request.ts';
import { type OpenCall, openCall } from './open-call.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';
import { readBody } from './read-body.ts';
import type { Upstream } from './upstream.ts';

export interface ModelCallsDeps {
  readonly upstream: Upstream;
  readonly findEngine: FindEngine;
  readonly refusedAskings: RefusedAskings;
  /** Whether anything is asked for in a client's place, and whether it sees it. */
  readonly asks: boolean;
  readonly showsAdded: boolean;
  readonly limits: ForwardLimits;
  readonly nextCallId: (startedAtUs: number) => string;
  readonly createRecord: CreateCallRecord;
  readonly inFlight: CallsInFlight;
  readonly metrics: ProxyMetrics;
}

export interface ModelCalls {
  forward(req: IncomingMessage, res: ServerResponse, request: NamedRequest, route: ModelRoute): Promise<void>;
  /** Ends what has not ended. */
  stop(): void;
}

/** Facts of a call that a client says by header. */
const RECORDED = ['x-stainless-retry-count', 'x-request-id', 'user-agent', 'content-encoding'];

export function createModelCalls(deps: ModelCallsDeps): ModelCalls {
  const { upstream, findEngine, refusedAskings, limits, metrics } = deps;
  const open = new Set<OpenCall>();

  /** null: nothing is asked. A body that is compressed is not looked into. */
  function askingOf(req: IncomingMessage, body: BodyObject | null, engine: CallHead['engine'], route: ModelRoute) {
    if (!deps.asks || body === null || req.headers['content-encoding'] !== undefined) return null;
    const hasHeader = (name: string): boolean => req.headers[name] !== undefined;
    const asked = whatToAsk(engine, route, { body, hasHeader });
    return namesOf(asked).length === 0 || refusedAskings.has(route, isStream(body), asked) ? null : asked;
  }

  async function forward(req: IncomingMessage, res: ServerResponse, request: NamedRequest, route: ModelRoute) {
    const over = deps.inFlight.began(request.named);
    try {
      await pass(req, res, request, route);
    } finally {
      over();
    }
  }

  async function pass(req: IncomingMessage, res: ServerResponse, request: NamedRequest, route: ModelRoute) {
    const startedAtUs = Date.now() * 1000;
    const began = performance.now();
    const bytes = await readBody(req, limits.bodyBytes);
    if (bytes === null) return;
    const engine = await findEngine(route, req.rawHeaders);
    const body = engine === 'openai' || !deps.asks ? null : bodyObject(bytes);
    const asked = askingOf(req, body, engine, route);
    const head = {
      ...{
        id: deps.nextCallId(startedAtUs),
        named: request.named,
        path: request.target,
        engine,
        upstream: upstream.host,
      },
      ...{ startedAtUs, headers: recordedOf(req), asked: asked === null ? [] : namesOf(asked) },
    };
    const record = deps.createRecord(head, bytes, () => (performance.now() - began) * 1000);
    const call = openCall({
      ...{ upstream, res, record, silenceMs: limits.upstreamSilenceMs, ownBody: bytes },
      requestOf: (sent, asks) => requestOf(req, request.target, sent, asks),
      asking: body === null || asked === null ? null : asking(body, asked),
      onAskedAgain: () => record.askedAgain({ ...head, asked: [] }),
      onAskingRefused() {
        if (body !== null && asked !== null) refusedAskings.add(route, isStream(body), asked);
      },
    });
    open.add(call);
    const { how } = await call.ended;
    open.delete(call);
    metrics.call(route, how, (performance.now() - began) / 1000);
  }

  const asking = (body: BodyObject, asked: Asking) => ({
    asked,
    body: withMembers(body, asked.members),
    isShown: deps.showsAdded,
  });

  function requestOf(req: IncomingMessage, target: string, body: Buffer, asks: Asking | null) {
    const replaced = new Map<string, string | null>([
      ['host', upstream.host],
      ['content-length', String(body.length)],
      ['expect', null],
      ['trailer', null],
      // What comes compressed cannot be cut.
      ...(asks === null ? [] : [['accept-encoding', 'identity'] as const, ...asks.headers]),
    ]);
    return { method: 'POST', target, headers: forwardedHeaders(req.rawHeaders, replaced) };
  }

  return {
    forward,
    stop() {
      for (const call of [...open]) call.stop();
    },
  };
}

function recordedOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const recorded: Record<string, string> = {};
  for (const name of RECORDED) {
    const values = valuesOf(rawHeaders, name);
    if (values.length > 0) recorded[name] = values.join(', ');
  }
  return recorded;
}
