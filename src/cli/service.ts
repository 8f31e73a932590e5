import { join } from 'node:path';
import type { Access } from '../access/access.ts';
import type { ImportTarget } from '../access/import-target.ts';
import { createLocalAccess } from '../access/local.ts';
import { createLocalImportTarget } from '../access/local-import-target.ts';
import type { App } from '../app.ts';
import type { HttpFront } from '../clickhouse/http-front/start-http-front.ts';
import { STORE_FOLDER } from '../config/data-folders.ts';
import { packageFile } from '../config/package-file.ts';
import { tokensFileOf } from '../config/tokens-file-of.ts';
import type { OpenDelivery } from '../delivery/open-delivery.ts';
import { openServiceDelivery } from '../delivery/open-service-delivery.ts';
import { RollstreamError } from '../errors.ts';
import { createIngest } from '../ingest/http/create-ingest.ts';
import { createFindRollouts } from '../ingest/http/find-rollouts.ts';
import { createIsForeignProducer } from '../ingest/http/foreign-producer.ts';
import { createMetrics } from '../observe/metrics.ts';
import { createReplays } from '../rescore/create-replays.ts';
import { createLocalRuns } from '../runs/local-runs.ts';
import { refuseClosedDelivery } from '../runs/refuse-closed-delivery.ts';
import type { Runs } from '../runs/runs.ts';
import { advertisedUrl } from '../server/advertised-url.ts';
import { createFailedAttempts, type FailedAttempts } from '../server/auth/failed-attempts.ts';
import { type KnownTokens, NO_TOKENS, openKnownTokens } from '../server/auth/known-tokens.ts';
import { createServer } from '../server/create-server.ts';
import { errorResponse } from '../server/error-response.ts';
import { type Listener, listen, type Sender } from '../server/listen.ts';
import { watchLogEnds } from '../server/log-ends.ts';
import { openTrainerApi, type TrainerApi } from '../server/open-trainer-api.ts';
import { createReadiness } from '../server/readiness.ts';
import { type WatchedService, watchServices } from '../server/service-watch.ts';
import { openPieces } from '../tokenizers/pieces/open-pieces.ts';
import { createStoreVerifierCache } from '../verify/store-verifier-cache.ts';
import type { VerifierCache } from '../verify/verifier-cache.ts';
import type { CommandContext } from './context.ts';
import { version } from './version.ts';

/** The pipeline of this process, with or without its HTTP API. */
export interface Service {
  readonly access: Access;
  readonly imports: ImportTarget;
  readonly runs: Runs;
  readonly verifierCache: VerifierCache;
  /** null: it does not listen. */
  readonly url: string | null;
  /** Where ClickHouse clients read; null: nowhere. */
  readonly clickhouseUrl: string | null;
  /** Records that the lanes have read and committed since they began. */
  recordsRead(): number;
  /** Rejects when a lane fails. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** Requests that run when it closes get so long to end. */
const GRACE_MS = 2_000;
const WATCH = { everyMs: 5_000, answerMs: 5_000 };

type Fetch = (request: Request, sender: Sender) => Response | Promise<Response>;

/**
 * The port is bound before the data is opened, since the owner file tells others where to talk to; until all is open the
 * answer is 503.
 */
export async function startService(context: CommandContext, withHttp: boolean): Promise<Service> {
  const { config, log, io } = context;
  const metrics = createMetrics();
  const closing = new AbortController();
  const failures = createFailedAttempts(() => performance.now());
  const tokens = withHttp ? openTokens(context) : NO_TOKENS;
  let fetch: Fetch = () => errorResponse(new RollstreamError('RS_STARTING', 'the server is starting'));
  const listener: Listener | null = withHttp
    ? await listen(config.http.host, config.http.port, (request, sender) => fetch(request, sender))
    : null;
  let app: App;
  let front: HttpFront | null = null;
  let leases: OpenDelivery | null = null;
  let trainer: TrainerApi;
  try {
    const url = listener?.url ?? null;
    const { openApp } = await import('../app.ts');
    app = await openApp(config, { log, now: io.now, recorder: metrics.recorder, url, withLanes: true });
  } catch (error) {
    await listener?.close(0);
    throw error;
  }
  try {
    const reached = listener === null ? null : advertisedUrl(config, listener.url);
    if (reached?.isDoubtful)
      log.warn({ url: reached.url }, 'servers on other hosts cannot reach this one there: set http.advertised_url');
    leases = await openServiceDelivery(app, config, { url: reached?.url ?? null, log, recorder: metrics.recorder });
    const { announcedTo } = leases;
    trainer = await openTrainerApi(app, config.lanes, { log, now: io.now, announcedTo });
    if (withHttp) front = await startFront(context, { failures, tokens });
  } catch (error) {
    await listener?.close(0);
    await leases?.close();
    await app.close();
    throw error;
  }
  const { forward, failed: deliveryFailed, close: closeDelivery } = leases;
  const delivery = refuseClosedDelivery(leases.delivery, app.runs);
  metrics.watchDelivery(leases.queue);
  const access = createLocalAccess(app);
  const imports = createLocalImportTarget(app, access);
  const hasOthers = config.services !== null;
  const runs = createLocalRuns({
    ...{ app, log, hasOthers, drained: imports.drained, isGranted: listener !== null || hasOthers },
  });
  const findRollouts = createFindRollouts(app.store);
  const ingest = createIngest({
    target: imports,
    findRollouts,
    isForeignProducer: createIsForeignProducer(app.store),
    limits: config.limits.ingest,
    runs: app.runs,
    log,
    recorder: metrics.recorder,
  });
  const { chunkEvents } = config.replay;
  const replays = createReplays(app, {
    ...{ log, isAlone: config.services === null },
    ...(chunkEvents === null ? {} : { chunkEvents }),
  });
  const verifierCache = createStoreVerifierCache({ store: app.store, now: io.now });
  const ends = watchLogEnds({
    broker: app.broker,
    topic: app.topics.steps,
    status: () => app.lanes?.status() ?? [],
    everyMs: WATCH.everyMs,
  });
  const status = ends.status;
  metrics.watchLanes(status);
  const watch = watchServices(config.services === null ? [] : servicesOf(app), { log, ...WATCH });
  metrics.watchServices(watch.status);
  const readiness = createReadiness({
    status,
    now: io.now,
    outage: watch.outage,
    mayStandBy: config.services !== null,
  });
  const pieces = openPieces({
    folders: config.lanes.audits?.tokenizers ?? [],
    vocabularyFile: packageFile('examples', 'vocabulary.json'),
    log,
  });
  const { host, token } = config.http;
  const server = createServer(
    { host, token, bodyBytes: config.limits.bodyBytes, version: version() },
    {
      access,
      imports,
      ingest,
      replays,
      runs,
      isDeclared: (run) => app.runs.row(run) !== null,
      trainer,
      delivery,
      forward,
      codecs: app.codecs,
      blobs: app.blobs,
      verifierCache,
      schemaOf: (id) => app.registry.schemaOf(id),
      metrics,
      readiness,
      pieces,
      tokens,
      failures,
      stepsTopic: app.topics.steps,
      log,
      now: io.now,
      closing: closing.signal,
    },
  );
  fetch = (request, sender) => server.fetch(request, sender);
  const failed = Promise.race([app.lanes?.failed ?? deliveryFailed, deliveryFailed]);
  // It is thrown where it is awaited.
  failed.catch(() => {});
  if (listener !== null) log.info({ url: listener.url }, 'serving');
  // What a process before has begun to delete. It is ended by the close below.
  void runs.resume();
  return {
    access,
    imports,
    runs,
    verifierCache,
    url: listener?.url ?? null,
    clickhouseUrl: front?.url ?? null,
    recordsRead: () => Math.max(0, status().reduce((sum, { frontier }) => sum + frontier, 0) - app.committedBefore),
    failed,
    async close() {
      closing.abort();
      await Promise.all([listener?.close(GRACE_MS), front?.close()]);
      watch.close();
      ends.close();
      await pieces.close();
      await runs.close();
      await replays.close();
      await closeDelivery();
      await app.close();
      log.info('closed');
    },
  };
}

/** RS_CONFIG where the token file is damaged: nobody is to be let in by half of it. */
function openTokens({ config, log, io }: CommandContext): KnownTokens {
  const path = tokensFileOf(config);
  return path === null ? NO_TOKENS : openKnownTokens(path, { log, now: io.now });
}

/** In embedded mode the data can be read as if a ClickHouse server had it. */
async function startFront(
  { config, log }: CommandContext,
  who: { readonly failures: FailedAttempts; readonly tokens: KnownTokens },
): Promise<HttpFront | null> {
  if (config.services !== null || config.clickhouseHttp === null) return null;
  const { startHttpFront } = await import('../clickhouse/http-front/start-http-front.ts');
  const front = await startHttpFront({
    ...config.clickhouseHttp,
    folder: join(config.data, STORE_FOLDER),
    host: config.http.host,
    token: config.http.token,
    ...who,
    limits: config.limits.query,
    log: (message) => log.warn(message),
  });
  log.info({ url: front.url }, 'serving ClickHouse clients');
  return front;
}

/** An id that no registry gives out: its answer, that there is none, is an answer. */
const NO_SCHEMA = 2 ** 31 - 1;

/** On Kafka: what an outage of shows in /readyz before anything fails. */
function servicesOf({ broker, store, registry, topics, group }: App): WatchedService[] {
  return [
    { name: 'kafka', ask: () => broker.committed(group, topics.steps, 0) },
    { name: 'clickhouse', ask: () => store.query('SELECT 1') },
    { name: 'registry', ask: () => registry.schemaOf(NO_SCHEMA) },
  ];
}
