import { Hono } from 'hono';
import type { Access } from '../../../src/access/access.ts';
import type { ResolveSegments } from '../../../src/blobs/create-resolve-segments.ts';
import type { RunAccounting } from '../../../src/clickhouse/accounting.ts';
import type { Delivery, DeliveryStatus, LeasedBatch } from '../../../src/delivery/delivery.ts';
import type { Codecs } from '../../../src/registry/codecs.ts';
import { ANYBODY, type Caller } from '../../../src/server/auth/caller.ts';
import type { SenderEnv } from '../../../src/server/auth/require-caller.ts';
import { errorResponse } from '../../../src/server/error-response.ts';
import { createKnownRuns } from '../../../src/server/known-runs.ts';
import { checkpointRoutes } from '../../../src/server/routes/checkpoints.ts';
import { leaseRoutes } from '../../../src/server/routes/leases.ts';
import { createWhileWanted } from '../../../src/server/while-wanted.ts';

/** A delivery that does as it is told, and keeps what it was asked. */
export interface ScriptedDelivery {
  readonly delivery: Delivery;
  /** [method, run or lease, what was asked] of each call but status. */
  readonly calls: unknown[][];
}

/** Runs that it has heard of: r, in lineage 3. Nothing is ever enough. */
export function scriptedDelivery(over: Partial<Delivery> = {}): ScriptedDelivery {
  const calls: unknown[][] = [];
  const told =
    <Answer>(name: string, answer: Answer) =>
    async (...asked: readonly unknown[]): Promise<Answer> => {
      calls.push([name, ...asked.filter((part) => !(part instanceof AbortSignal))]);
      return answer;
    };
  const delivery: Delivery = {
    lease: told<LeasedBatch | null>('lease', null),
    ack: told('ack', undefined),
    release: told('release', undefined),
    reject: told('reject', undefined),
    extend: told('extend', 1_700_000_000_000),
    runOf: async () => 'r',
    seal: told('seal', undefined),
    rewind: told('rewind', 4),
    fork: told('fork', undefined),
    status: async (run) => (run === 'r' || run.includes('/') ? statusOf(run) : null),
    checkVersion: told('checkVersion', undefined),
    ...over,
  };
  return { delivery, calls };
}

/** The routes of delivery alone. `started` has attempts, and nothing that is ready. */
export function deliveryApp(
  delivery: Delivery,
  {
    codecs = NO_CODECS,
    resolve = async ({ trajectory }) => trajectory,
    closing = new AbortController().signal,
    caller = ANYBODY,
  }: { codecs?: Routed; resolve?: ResolveSegments; closing?: AbortSignal; caller?: Caller } = {},
): Hono<SenderEnv> {
  const access: Pick<Access, 'accounting'> = {
    accounting: async (runId) => ({ runs: runId === 'started' ? [STARTED] : [] }),
  };
  const knownRuns = createKnownRuns({ delivery, access });
  const app = new Hono<SenderEnv>();
  app.use(async (c, next) => {
    c.set('caller', caller);
    await next();
  });
  const whileWanted = createWhileWanted(closing);
  app.route('/v1', leaseRoutes({ delivery, knownRuns, whileWanted, codecs, resolve }));
  app.route('/v1', checkpointRoutes({ delivery, knownRuns }));
  app.onError(errorResponse);
  return app;
}

type Routed = Pick<Codecs, 'prepare' | 'decoderOf'>;

const notHere = (): never => {
  throw new Error('nothing is decoded here');
};
const NO_CODECS: Routed = { prepare: async () => {}, decoderOf: () => notHere };

const STARTED: RunAccounting = {
  run_id: 'started',
  started: 1,
  ready: 0,
  rejected: {},
  open: 1,
  held: 0,
  lost: 0,
  superseded: 0,
  balanced: true,
  ready_states: { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 },
  not_taken_in: {},
  inherited: 0,
  re_emitted: 0,
};

function statusOf(run: string): DeliveryStatus {
  const states = { queued: 7, leased: 2, trained: 5, expired: 1, undeliverable: 0, trainer_rejected: 3, replaced: 0 };
  const checkpoints = [
    { lineage: 0, step: 10 },
    { lineage: 3, step: 12 },
  ];
  return { run, lineage: 3, unit: 'group', checkpoints, states, waiting: 1, last: { 'trainer-0': [4, 1] } };
}
