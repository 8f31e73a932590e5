import type { Schema } from 'avsc';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import type { Access } from '../access/access.ts';
import type { ImportTarget } from '../access/import-target.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createResolveSegments } from '../blobs/create-resolve-segments.ts';
import { packageFile } from '../config/package-file.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { ForwardRequest } from '../delivery/forward/forward-request.ts';
import { RollstreamError } from '../errors.ts';
import type { Ingest } from '../ingest/http/ingest.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Codecs } from '../registry/codecs.ts';
import type { Replays } from '../rescore/replays.ts';
import type { Runs } from '../runs/runs.ts';
import type { Pieces } from '../tokenizers/pieces/open-pieces.ts';
import type { VerifierCache } from '../verify/verifier-cache.ts';
import { createCallers } from './auth/callers.ts';
import { checkAccess } from './auth/check-access.ts';
import type { FailedAttempts } from './auth/failed-attempts.ts';
import type { KnownTokens } from './auth/known-tokens.ts';
import { askingOf, requireCaller, type SenderEnv } from './auth/require-caller.ts';
import { openPaths } from './auth/route-access.ts';
import { errorResponse } from './error-response.ts';
import { createGuard, type GuardConfig } from './guard.ts';
import { isReadPast } from './is-read-past.ts';
import { createKnownRuns } from './known-runs.ts';
import type { TrainerApi } from './open-trainer-api.ts';
import { readPageFiles } from './page-files.ts';
import type { Readiness } from './readiness.ts';
import { accountingRoutes } from './routes/accounting.ts';
import { admissionRoutes } from './routes/admission.ts';
import { blobRoutes } from './routes/blobs.ts';
import { checkpointRoutes } from './routes/checkpoints.ts';
import { exportRoutes } from './routes/export.ts';
import { gateRoutes } from './routes/gates.ts';
import { healthRoutes } from './routes/health.ts';
import { importRoutes } from './routes/import.ts';
import { leaseRoutes } from './routes/leases.ts';
import { namedRoutes } from './routes/named.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { pageRoutes } from './routes/page.ts';
import { pieceRoutes } from './routes/pieces.ts';
import { policyRoutes } from './routes/policies.ts';
import { producerRoutes } from './routes/producers.ts';
import { queryRoutes } from './routes/query.ts';
import { readyRoutes } from './routes/ready.ts';
import { replayRoutes } from './routes/replays.ts';
import { rolloutRoutes } from './routes/rollouts.ts';
import { runRoutes } from './routes/runs.ts';
import { schemaRoutes } from './routes/schemas.ts';
import { sessionRoutes } from './routes/session.ts';
import { statusRoutes } from './routes/status.ts';
import { stepRoutes } from './routes/steps.ts';
import { taskRoutes } from './routes/tasks.ts';
import { verdictRoutes } from './routes/verdicts.ts';
import { verifierResultRoutes } from './routes/verifier-results.ts';
import { versionRoutes } from './routes/versions.ts';
import { createTakeTurns } from './take-turns.ts';
import { createWhileWanted } from './while-wanted.ts';

export interface ServerDeps {
  readonly access: Access;
  readonly imports: ImportTarget;
  readonly ingest: Ingest;
  readonly replays: Replays;
  readonly runs: Runs;
  /** Something was said of the run. Absent: nothing ever was. */
  readonly isDeclared?: (run: string) => boolean;
  readonly trainer: TrainerApi;
  readonly delivery: Delivery;
  /** What another server answers, as only it grants leases; null: it is answered here. */
  readonly forward?: ForwardRequest;
  readonly codecs: Pick<Codecs, 'prepare' | 'decoderOf' | 'decoderOfField'>;
  /** The schema of an id in Confluent wire format; null: there is none. */
  readonly schemaOf: (id: number) => Promise<Schema | null>;
  /** null: there is no folder for them. */
  readonly blobs: BlobStore | null;
  /** What verifiers answered. */
  readonly verifierCache: VerifierCache;
  readonly metrics: Metrics;
  readonly readiness: () => Readiness;
  /** What token ids stand for. */
  readonly pieces: Pieces;
  /** Those of the token file. */
  readonly tokens: KnownTokens;
  /** Wrong tokens, of all that this process serves. */
  readonly failures: FailedAttempts;
  /** Name of rollout.steps. */
  readonly stepsTopic: string;
  readonly log: Logger;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Aborted when the server closes: those who wait for more are answered. */
  readonly closing: AbortSignal;
}

export interface ServerConfig extends GuardConfig {
  /** `http.token`; null, and no token file: everybody may ask. */
  readonly token: string | null;
  /** Of rollstream. */
  readonly version: string;
  readonly bodyBytes: number;
}

/** Bodies that are not held whole: they have a limit of their own, on what gunzip makes of them. */
const READ_AS_THEY_COME: ReadonlySet<string> = new Set(['/v1/steps', '/v1/verdicts']);

/** The HTTP API. It answers nobody from another origin: there is no CORS. */
export function createServer(config: ServerConfig, deps: ServerDeps): Hono<SenderEnv> {
  const guard = createGuard(config);
  const callers = createCallers(config.token, deps);
  const knownRuns = createKnownRuns(deps);
  const whileWanted = createWhileWanted(deps.closing);
  const takeTurns = createTakeTurns({ atOnce: 2, waiting: 200, what: 'queries' });
  const page = readPageFiles(packageFile('dist', 'web'));
  // The page itself holds no data.
  const withoutToken: ReadonlySet<string> = new Set([...openPaths(), ...page.keys()]);
  const app = new Hono<SenderEnv>();

  app.use(async (c, next) => {
    const begin = performance.now();
    guard.checkHost(c.req.header('host'));
    const [origin, site, mode] = [
      c.req.header('origin'),
      c.req.header('sec-fetch-site'),
      c.req.header('sec-fetch-mode'),
    ];
    guard.checkOrigin({ origin, site, mode }, c.req.header('host'));
    await next();
    deps.metrics.recorder.answered(routePath(c, -1), c.res.status, (performance.now() - begin) / 1000);
  });
  app.use(requireCaller(callers, { open: withoutToken }));
  const limitBody = bodyLimit({
    maxSize: config.bodyBytes,
    onError: async ({ req }) => {
      const message = `the body is larger than ${config.bodyBytes} bytes (limits.body)`;
      const response = errorResponse(new RollstreamError('RS_TOO_LARGE', message));
      // What is cut while it sends never hears why.
      if (req.raw.body !== null && !(await isReadPast(req.raw.body))) response.headers.set('connection', 'close');
      return response;
    },
  });
  app.use((c, next) => (READ_AS_THEY_COME.has(c.req.path) ? next() : limitBody(c, next)));
  checkAccess(app, withoutToken);
  app.use(async (c, next) => {
    const answer = (await deps.forward?.(c.req.raw, whileWanted, () => c.req.arrayBuffer())) ?? null;
    if (answer === null) return next();
    return answer;
  });

  app.route('/', healthRoutes(deps));
  app.route('/', pageRoutes(page));
  app.route('/v1', sessionRoutes(callers, askingOf));
  app.route('/v1', statusRoutes({ ...deps, version: config.version }));
  app.route('/v1', pieceRoutes(deps));
  app.route('/v1', accountingRoutes(deps));
  app.route('/v1', runRoutes(deps));
  app.route('/v1', rolloutRoutes(deps));
  app.route('/v1', queryRoutes({ ...deps, takeTurns }));
  app.route('/v1', namedRoutes({ ...deps, takeTurns }));
  app.route('/v1', policyRoutes(deps));
  app.route('/v1', gateRoutes(deps));
  app.route('/v1', replayRoutes(deps));
  app.route('/v1', readyRoutes({ ...deps, whileWanted }));
  app.route('/v1', exportRoutes(deps));
  app.route('/v1', importRoutes(deps.imports));
  app.route('/v1', stepRoutes(deps));
  app.route('/v1', verdictRoutes(deps));
  app.route('/v1', producerRoutes(deps));
  app.route('/v1', versionRoutes({ ...deps, announceVersion: deps.trainer.announceVersion }));
  app.route(
    '/v1',
    leaseRoutes({ ...deps, knownRuns, whileWanted, resolve: createResolveSegments(deps.blobs, deps.codecs) }),
  );
  app.route('/v1', checkpointRoutes({ ...deps, knownRuns }));
  app.route('/v1', schemaRoutes(deps));
  app.route('/v1', blobRoutes(deps));
  app.route('/v1', admissionRoutes(deps.trainer));
  app.route('/v1', taskRoutes({ ...deps, takeTurns }));
  app.route('/v1', verifierResultRoutes(deps));
  app.route('/v1', openApiRoutes());

  app.notFound((c) =>
    errorResponse(new RollstreamError('RS_NOT_FOUND', `no such route: ${c.req.method} ${c.req.path}`)),
  );
  app.onError((error) => {
    if (!(error instanceof RollstreamError)) deps.log.error({ err: error }, 'request failed');
    return errorResponse(error);
  });
  return app;
}
