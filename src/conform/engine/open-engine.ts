import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RollstreamError } from '../../errors.ts';
import { loadTokenizer } from '../../tokenizers/load-tokenizer.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { SCENARIOS } from '../scenarios/scenarios.ts';
import type { TruthCall } from '../truth.ts';
import { answerCall } from './answer-call.ts';
import { RefusedRequest } from './asked.ts';
import { createConversations } from './conversations.ts';
import type { Engine, EngineConfig } from './engine-config.ts';
import { routeOf } from './engine-routes.ts';
import type { EngineState } from './engine-state.ts';
import { createFramesCache } from './frames-cache.ts';
import { readBody } from './read-body.ts';
import { refuse } from './refuse.ts';
import { tellOfItself } from './tell-of-itself.ts';
import { openTruthLog } from './truth-log.ts';
import { createVocabulary } from './vocabulary.ts';

const DEFAULT_MODEL = 'rollstream-conform';
const BACKLOG = 4_096;
/** Longer than a harness thinks between two turns. */
const KEEP_ALIVE_MS = 75_000;

/** Starts a scripted engine: real token ids of a tokenizer, in SGLang's and OpenAI's shapes, and misbehaviour on cue. */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const scenarios = scenariosOf(config.scenarios);
  const tokenizer = typeof config.tokenizer === 'string' ? await loadTokenizer(config.tokenizer) : config.tokenizer;
  const vocabulary = await createVocabulary(tokenizer);
  const { seed = 0, model = DEFAULT_MODEL, now = Date.now, log = null, dialect = 'both', token = null } = config;
  const { calls: form = 'hermes' } = config;
  const names = [...scenarios.keys()];
  const startedAtUs = Math.round(now() * 1000);
  const head = { startedAtUs, seed, tokenizerSha256: vocabulary.sha256, model, scenarios: names, calls: form };
  const file = log === null ? null : openTruthLog(log, { rollstream_conform: 1, ...head });
  const calls: TruthCall[] = [];
  let next = 0;
  const state: EngineState = {
    ...{ vocabulary, scenarios, seed, model, now, log: file, calls: form },
    conversations: createConversations(),
    framesCache: createFramesCache(),
    tokensPerSecond: config.tokensPerSecond ?? null,
    incrementalStreaming: config.incrementalStreaming ?? false,
    nextCall: () => next++,
    keep: (call) => {
      if (config.keepTruth !== false) calls.push(call);
    },
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [pathname = '/'] = (request.url ?? '/').split('?');
    const found = routeOf(request.method ?? 'GET', pathname, dialect);
    const shape = { route: found?.kind === 'call' ? found.route : null, dialect: found?.dialect ?? 'vllm' };
    try {
      if (token !== null && !isBearer(request, token))
        throw new RefusedRequest(401, 'Unauthorized', 'a bearer token is needed');
      if (found === null) throw new RefusedRequest(404, 'NotFoundError', `there is no ${pathname} here`);
      if (found.kind === 'call')
        await answerCall({ ...found, body: await readBody(request), request, response }, state);
      else tellOfItself(found, response, state);
    } catch (error) {
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      const refusal =
        error instanceof RefusedRequest
          ? error.refusal
          : {
              status: 500,
              type: 'InternalServerError',
              message: error instanceof Error ? error.message : String(error),
            };
      refuse(response, refusal, shape);
    }
  };
  const running = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    const answering = handle(request, response).finally(() => running.delete(answering));
    running.add(answering);
  });
  const close = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    // Each has a line to write.
    await Promise.all(running);
    file?.close();
    await vocabulary.close();
    if (typeof config.tokenizer === 'string') tokenizer.close();
  };
  const { host = '127.0.0.1', port = 0 } = config;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  }).catch(async (cause: unknown) => {
    await vocabulary.close();
    file?.close();
    if (typeof config.tokenizer === 'string') tokenizer.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_CONFIG', `cannot listen on ${host}:${port}: ${why}`, {
      cause,
      facts: { field: 'listen' },
    });
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, truth: () => calls, close };
}

function scenariosOf(names: readonly string[] | undefined): ReadonlyMap<string, Scenario> {
  if (names === undefined) return SCENARIOS;
  const unknown = names.find((name) => !SCENARIOS.has(name));
  if (unknown !== undefined)
    throw new RollstreamError(
      'RS_USAGE',
      `there is no scenario ${unknown}; there are ${[...SCENARIOS.keys()].join(', ')}`,
    );
  return new Map([...SCENARIOS].filter(([name]) => names.includes(name)));
}

function isBearer({ headers }: IncomingMessage, token: string): boolean {
  const [given, wanted] = [Buffer.from(headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
