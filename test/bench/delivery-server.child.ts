import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createLocalAccess } from '../../src/access/local.ts';
import { createLocalImportTarget } from '../../src/access/local-import-target.ts';
import { openApp } from '../../src/app.ts';
import type { NewRecord } from '../../src/broker/port.ts';
import { loadConfig } from '../../src/config/load.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { openServiceDelivery } from '../../src/delivery/open-service-delivery.ts';
import { createIngest } from '../../src/ingest/http/create-ingest.ts';
import { createFindRollouts } from '../../src/ingest/http/find-rollouts.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { createReplays } from '../../src/rescore/create-replays.ts';
import { createLocalRuns } from '../../src/runs/local-runs.ts';
import { createFailedAttempts } from '../../src/server/auth/failed-attempts.ts';
import { NO_TOKENS } from '../../src/server/auth/known-tokens.ts';
import { createServer } from '../../src/server/create-server.ts';
import { errorResponse } from '../../src/server/error-response.ts';
import { listen } from '../../src/server/listen.ts';
import { openTrainerApi } from '../../src/server/open-trainer-api.ts';
import { openPieces } from '../../src/tokenizers/pieces/open-pieces.ts';
import { noCache } from '../../src/verify/verifier-cache.ts';
import { createReadyGroups } from './ready-trajectories.ts';

/**
 * The server as `rollstream up` makes it, which also appends to its own ready topic, as its lanes would: a line
 * `RUN GROUPS_A_SECOND SECONDS` on stdin begins that. Groups were encoded before.
 */
const [, , data = ''] = process.argv;
const KEPT_GROUPS = 64;
const TICK_MS = 2;

const config = loadConfig({ flags: { data, 'http.port': '0' }, env: {}, cwd: data });
const log = pino({ level: 'silent' });
const metrics = createMetrics();
const closing = new AbortController();
let answer = (_: Request): Response | Promise<Response> => errorResponse(new Error('it is starting'));
const listener = await listen('127.0.0.1', 0, (request) => answer(request));
const deps = { log, now: Date.now, recorder: metrics.recorder, url: listener.url };
const app = await openApp(config, { ...deps, withLanes: true });
const leases = await openServiceDelivery(app, config, { ...deps });
const trainer = await openTrainerApi(app, config.lanes, { log, now: Date.now, announcedTo: leases.announcedTo });
const access = createLocalAccess(app);
const imports = createLocalImportTarget(app, access);
const findRollouts = createFindRollouts(app.store);
const server = createServer(
  { host: '127.0.0.1', token: null, bodyBytes: config.limits.bodyBytes, version: '' },
  {
    ...{ access, trainer, metrics, log, delivery: leases.delivery, forward: leases.forward, codecs: app.codecs },
    ...{ imports, blobs: app.blobs, now: Date.now, closing: closing.signal },
    ingest: createIngest({
      target: imports,
      findRollouts,
      isForeignProducer: async () => false,
      limits: config.limits.ingest,
      runs: app.runs,
      log,
      recorder: metrics.recorder,
    }),
    schemaOf: (id) => app.registry.schemaOf(id),
    verifierCache: noCache,
    pieces: openPieces({ folders: [], vocabularyFile: packageFile('examples', 'vocabulary.json'), log }),
    runs: createLocalRuns({ app, log, hasOthers: false, isGranted: true, drained: imports.drained }),
    tokens: NO_TOKENS,
    failures: createFailedAttempts(() => performance.now()),
    stepsTopic: app.topics.steps,
    replays: createReplays(app, { log, isAlone: true }),
    readiness: () => ({ ready: true, reason: '', lanes: [] }),
  },
);
answer = (request) => server.fetch(request);

const next = await createReadyGroups(app.registry, 'served');
const kept: NewRecord[][] = [];
const groupsOf = (run: string): NewRecord[][] => {
  if (kept.length === 0) for (let n = 0; n < KEPT_GROUPS; n++) kept.push(next(run));
  return kept;
};

let named = 0;
async function feed(run: string, perSecond: number, seconds: number): Promise<void> {
  const groups = groupsOf(run);
  const began = performance.now();
  for (let fed = 0; performance.now() - began < 1000 * seconds; ) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    const records: NewRecord[] = [];
    for (; fed < due; fed++)
      for (const record of groups[fed % KEPT_GROUPS] ?? [])
        records.push({ ...record, key: `${run}/0/g/fed-${named + fed}` });
    if (records.length > 0) await app.broker.append(app.topics.ready, records);
    await sleep(TICK_MS);
  }
  named += Math.ceil(perSecond * seconds) + 1_000;
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [run = '', perSecond, seconds] = line.split(' ');
  feed(run, Number(perSecond), Number(seconds)).then(() => process.stdout.write('fed\n'));
});
process.once('SIGTERM', async () => {
  closing.abort();
  await listener.close(0);
  await leases.close();
  await app.close();
  process.exit(0);
});
groupsOf('live');
process.stderr.write(`serving at ${listener.url}\n`);
