import type { Hono } from 'hono';
import { pino } from 'pino';
import type { Access } from '../../../src/access/access.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';
import { createFailedAttempts } from '../../../src/server/auth/failed-attempts.ts';
import { NO_TOKENS } from '../../../src/server/auth/known-tokens.ts';
import type { SenderEnv } from '../../../src/server/auth/require-caller.ts';
import { createServer, type ServerDeps } from '../../../src/server/create-server.ts';
import { noCache } from '../../../src/verify/verifier-cache.ts';
import { scriptedDelivery } from './scripted-delivery.ts';

/** Nobody came so far. */
export class NotAsked extends Error {}

const never = async (): Promise<never> => {
  throw new NotAsked('there is nothing behind this server');
};

const neverNow = (): never => {
  throw new NotAsked('there is nothing behind this server');
};

/** Runs of these names, of which nothing is known. */
export function idleAccess(runs: readonly string[] = []): Access {
  return {
    ...{ accounting: never, ready: never, query: never, explain: never, export: never },
    ...{ applyPolicy: never, gates: never, setGate: never, close: async () => undefined },
    runs: async () =>
      runs.map((run_id) => ({
        ...{ run_id, state: 'active', declared: false, purpose: null, note: '', changed_by: '', removed: {} },
        ...{ events_per_second: null, in_flight_bytes: null, started: 0, closed: 0, open: 0, ready: 0 },
        ...{ first_started_at: null, last_decided_at: null, last_event_at: null, created_at: null, changed_at: null },
      })),
  };
}

/** All routes of a server with nothing behind them: what gets past who may ask is answered 500. */
export function idleServer(over: Partial<ServerDeps> = {}, token: string | null = null): Hono<SenderEnv> {
  const config = { host: '127.0.0.1', token, version: 'test', bodyBytes: 1_000_000 };
  const close = async (): Promise<void> => undefined;
  const ended = { accepted: 0, refusedCount: 0, refused: [], error: null };
  return createServer(config, {
    access: idleAccess(),
    imports: {
      ...{ register: never, appendSteps: never, appendDeadLetters: never, appendToEveryPartition: never },
      ...{ drained: never, closedRuns: never, accounting: never },
    },
    ingest: {
      steps: async () => ({ ...ended, tally: { runs: new Map(), forbidden: () => 0 } }),
      verdicts: async () => ({ ...ended, tally: { runs: new Map(), forbidden: () => 0 } }),
      producerEnded: never,
    },
    replays: { addVerdicts: never, start: never, status: never, report: never, list: never, cancel: never, close },
    runs: { list: never, create: never, archive: never, unarchive: never, setQuota: never, remove: never, close },
    trainer: { announceVersion: never, admission: never },
    delivery: scriptedDelivery().delivery,
    codecs: { prepare: never, decoderOf: () => neverNow, decoderOfField: () => neverNow },
    schemaOf: never,
    blobs: null,
    verifierCache: noCache,
    metrics: createMetrics(),
    readiness: () => ({ ready: true, reason: '', lanes: [] }),
    pieces: { list: never, open: never, close },
    tokens: NO_TOKENS,
    failures: createFailedAttempts(() => 0),
    stepsTopic: 'rollout.steps',
    log: pino({ level: 'silent' }),
    now: () => 0,
    closing: new AbortController().signal,
    ...over,
  });
}
