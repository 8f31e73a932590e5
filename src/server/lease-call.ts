import { MOST_TOKENS } from '../../processors/delivery/take.ts';
import type { BatchKey, DeliveryUnit } from '../../processors/model/delivery.ts';
import type { LeaseCall } from '../delivery/delivery.ts';
import { bad, isGiven, nameOf, onlyFields, optional, wholeOf } from './request-value.ts';

/** Units of one batch: its answer is one response. */
const MOST_UNITS = 100_000;
const MOST_MICRO_TOKENS = 2 ** 40;
const MOST_RANKS = 65_536;
const MOST_WAIT_MS = 60_000;
const [LEAST_LEASE_MS, MOST_LEASE_MS] = [100, 604_800_000];

/** Name of the key of step leases, which no replica may have. */
const STEP = 'step';

const EVERY = ['run', 'consumer', 'lineage', 'try', 'unit', 'wait_ms', 'lease_ms'];
const OF_A_STEP = ['step', 'dp_size', 'rank', 'groups', 'tokens', 'micro_tokens'];
const OF_ONE = ['replica', 'batch_index', 'count', 'least'];

/** The body of `POST /v1/leases`: a step lease where anything of one is named, else a batch for one replica. */
export function leaseCallOf(body: Record<string, unknown>): LeaseCall {
  const isStep = OF_A_STEP.some((field) => isGiven(body, field));
  onlyFields(body, [...EVERY, ...(isStep ? OF_A_STEP : OF_ONE)]);
  const common = {
    run: nameOf(body, 'run'),
    lineage: lineageOf(body),
    consumer: nameOf(body, 'consumer'),
    unit: unitOf(body.unit),
    leaseMs: leaseMsOf(body),
    waitMs: wholeOr(body, 'wait_ms', 0, MOST_WAIT_MS, 0),
  };
  return isStep ? { ...common, ...stepOf(body, common.unit) } : { ...common, ...oneOf(body) };
}

export function lineageOf(body: Record<string, unknown>, field = 'lineage'): number | null {
  return optional(body, field, () => wholeOf(body, field, 0, 2 ** 31 - 1));
}

export function leaseMsOf(body: Record<string, unknown>): number | null {
  return optional(body, 'lease_ms', () => wholeOf(body, 'lease_ms', LEAST_LEASE_MS, MOST_LEASE_MS));
}

type What = Pick<LeaseCall, 'key' | 'dp' | 'rank' | 'most' | 'least' | 'tokens' | 'microTokens'>;

function oneOf(body: Record<string, unknown>): What {
  const most = wholeOf(body, 'count', 1, MOST_UNITS);
  return {
    key: keyOf(body),
    dp: 0,
    rank: 0,
    most,
    least: wholeOr(body, 'least', 1, most, 1),
    tokens: null,
    microTokens: null,
  };
}

/** null: the next index of the consumer. Ranks that share a replica must say which one they mean. */
function keyOf(body: Record<string, unknown>): BatchKey | null {
  const from = isGiven(body, 'replica') ? 'replica' : 'consumer';
  const name = nameOf(body, from);
  if (name === STEP) throw bad(from, `${from}: '${STEP}' is the name of step leases; another one is needed`);
  if (isGiven(body, 'batch_index')) {
    return [name, wholeOf(body, 'batch_index', 0, Number.MAX_SAFE_INTEGER), tryOf(body)];
  }
  const needs = ['replica', 'try'].find((field) => isGiven(body, field));
  if (needs !== undefined) throw bad('batch_index', `batch_index: a whole number is needed with ${needs}`);
  return null;
}

function stepOf(body: Record<string, unknown>, unit: DeliveryUnit): What {
  const step = wholeOf(body, 'step', 0, Number.MAX_SAFE_INTEGER);
  const dp = wholeOf(body, 'dp_size', 1, MOST_RANKS);
  const rank = wholeOf(body, 'rank', 0, dp - 1);
  const byTokens = isGiven(body, 'tokens');
  if (byTokens === isGiven(body, 'groups')) throw bad('groups', 'groups: either groups or tokens is needed');
  const most = byTokens ? MOST_UNITS : wholeOf(body, 'groups', 1, MOST_UNITS);
  // So many single trajectories never reach every rank: all would wait for ever.
  if (unit === 'rollout' && most < dp) throw bad('groups', `groups: at least dp_size (${dp}) rollouts are needed`);
  return {
    key: [STEP, step, tryOf(body)],
    dp,
    rank,
    most,
    least: byTokens ? 1 : most,
    tokens: byTokens ? wholeOf(body, 'tokens', 1, dp * MOST_TOKENS) : null,
    microTokens: optional(body, 'micro_tokens', () => wholeOf(body, 'micro_tokens', 1, MOST_MICRO_TOKENS)),
  };
}

function tryOf(body: Record<string, unknown>): number {
  return wholeOr(body, 'try', 0, Number.MAX_SAFE_INTEGER, 0);
}

function unitOf(value: unknown): DeliveryUnit {
  if (value === undefined || value === null) return 'group';
  if (value === 'group' || value === 'rollout') return value;
  throw bad('unit', 'unit: group or rollout');
}

function wholeOr(body: Record<string, unknown>, field: string, least: number, most: number, preset: number): number {
  return isGiven(body, field) ? wholeOf(body, field, least, most) : preset;
}
