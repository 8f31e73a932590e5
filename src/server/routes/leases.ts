import { type Context, Hono } from 'hono';
import type { TrainMatch } from '../../../processors/model/delivery.ts';
import type { Delivery, LeaseCall, LeasedBatch } from '../../delivery/delivery.ts';
import { refusalError } from '../../delivery/refusal-error.ts';
import { mayUse } from '../auth/caller.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';
import { againAnswer } from '../batch-head.ts';
import { BATCH_TYPE, createJsonResponse, packedResponse, type Unpacking } from '../batch-response.ts';
import { isLeaseId } from '../batch-tokens.ts';
import type { KnownRuns } from '../known-runs.ts';
import { leaseCallOf, leaseMsOf, lineageOf } from '../lease-call.ts';
import { bad, isObject, jsonBody, nameOf, onlyFields, optional, textOf } from '../request-value.ts';
import { trainedStepOf } from '../trained-step.ts';
import type { WhileWanted } from '../while-wanted.ts';

const MOST_REASON_CHARACTERS = 1_000;

export interface LeaseRouteDeps extends Unpacking {
  readonly delivery: Delivery;
  readonly knownRuns: Pick<KnownRuns, 'check'>;
  readonly whileWanted: WhileWanted;
}

/**
 * `POST /v1/leases`: a batch for a replica, or the shard of one rank; "not enough, again" is an answer too.
 * `POST /v1/leases/:id/{ack,release,reject,extend}`: all of a lease or none.
 */
export function leaseRoutes({ delivery, knownRuns, whileWanted, ...unpacking }: LeaseRouteDeps): Hono<SenderEnv> {
  const jsonResponse = createJsonResponse(unpacking);

  /** A lease of a run that is not the caller's is one that nobody has: neither it nor its run is told of. */
  const leaseOf = async (c: Context<SenderEnv>): Promise<string> => {
    const [lease, caller] = [checkedLease(c.req.param('id') ?? ''), callerOf(c)];
    if (caller.runs === null) return lease;
    const run = await delivery.runOf(lease);
    if (run === null || !mayUse(caller, run)) throw refusalError({ reason: 'lease_lost' });
    return lease;
  };

  return new Hono<SenderEnv>()
    .post('/leases', async (c) => {
      const call = leaseCallOf(await jsonBody(c));
      await knownRuns.check(call.run);
      const respond: Respond = c.req.header('accept')?.includes(BATCH_TYPE) ? packedResponse : jsonResponse;
      const response = await whileWanted(c.req.raw.signal, (signal) => leased(delivery, call, { respond, signal }));
      return response ?? c.json(againAnswer(call));
    })
    .post('/leases/:id/ack', async (c) => {
      const [lease, body] = [await leaseOf(c), await jsonBody(c)];
      onlyFields(body, ['lineage', 'step', 'version', 'stats']);
      const step = trainedStepOf(body);
      const version = optional(body, 'version', nameOf);
      await delivery.ack(lease, { lineage: lineageOf(body), step, version, match: matchOf(body.stats) });
      return c.json({ lease, state: 'trained' });
    })
    .post('/leases/:id/release', async (c) => {
      const [lease, body] = [await leaseOf(c), await jsonBody(c)];
      onlyFields(body, ['lineage', 'unseen']);
      await delivery.release(lease, { lineage: lineageOf(body), isUnseen: unseenOf(body) });
      return c.json({ lease, state: 'queued' });
    })
    .post('/leases/:id/reject', async (c) => {
      const [lease, body] = [await leaseOf(c), await jsonBody(c)];
      onlyFields(body, ['lineage', 'reason']);
      await delivery.reject(lease, { lineage: lineageOf(body), reason: reasonOf(body) });
      return c.json({ lease, state: 'trainer_rejected' });
    })
    .post('/leases/:id/extend', async (c) => {
      const [lease, body] = [await leaseOf(c), await jsonBody(c)];
      onlyFields(body, ['lineage', 'lease_ms']);
      const deadline = await delivery.extend(lease, { lineage: lineageOf(body), leaseMs: leaseMsOf(body) });
      return c.json({ lease, deadline: new Date(deadline).toISOString() });
    });
}

type Respond = (batch: LeasedBatch, signal: AbortSignal) => Promise<Response | null>;

/** What came too late for a client that named no index goes back: it cannot ask for that batch again. */
async function leased(
  delivery: Delivery,
  call: LeaseCall,
  { respond, signal }: { readonly respond: Respond; readonly signal: AbortSignal },
): Promise<Response | null> {
  const batch = await delivery.lease(call, signal);
  if (batch === null) return null;
  const response = signal.aborted ? null : await respond(batch, signal);
  if (!signal.aborted) return response;
  if (call.key === null) await delivery.release(batch.lease, { lineage: batch.lineage, isUnseen: true });
  return null;
}

function checkedLease(id: string): string {
  if (isLeaseId(id)) return id;
  throw bad('lease', 'lease: an id that POST /v1/leases answered is needed');
}

function unseenOf({ unseen = false }: Record<string, unknown>): boolean {
  if (typeof unseen === 'boolean') return unseen;
  throw bad('unseen', 'unseen: true or false is needed');
}

function reasonOf(body: Record<string, unknown>): string {
  const reason = textOf(body, 'reason');
  if (reason !== '' && reason.length <= MOST_REASON_CHARACTERS && reason.isWellFormed()) return reason;
  throw bad('reason', `reason: 1 to ${MOST_REASON_CHARACTERS} characters are needed`);
}

/** What the trainer measured; without a figure it measured nothing. */
function matchOf(stats: unknown): TrainMatch | null {
  if (stats === undefined || stats === null) return null;
  if (!isObject(stats)) throw bad('stats', 'stats: {"kl", "max_logprob_diff", "clipped_share"} is needed');
  onlyFields(stats, ['kl', 'max_logprob_diff', 'clipped_share'], 'stats.');
  const match = {
    kl: figureOf(stats, 'kl', Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
    maxLogprobDiff: figureOf(stats, 'max_logprob_diff', 0, Number.POSITIVE_INFINITY),
    clippedShare: figureOf(stats, 'clipped_share', 0, 1),
  };
  return Object.values(match).every((figure) => figure === null) ? null : match;
}

function figureOf(stats: Record<string, unknown>, name: string, least: number, most: number): number | null {
  const value = stats[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most) return value;
  const range = Number.isFinite(most) ? ` from ${least} to ${most}` : least === 0 ? ', 0 or more,' : '';
  throw bad(`stats.${name}`, `stats.${name}: a number${range} is needed`);
}
