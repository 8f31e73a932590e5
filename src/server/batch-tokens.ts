import type { BatchTokens } from '../../processors/model/delivery.ts';
import { bad, isObject, isWhole, onlyFields } from './request-value.ts';
import { trainedStepOf } from './trained-step.ts';

const MOST_LEASES = 100_000;
const MOST_OFFSETS = 4_000_000;
const LEASE_ID = /^\d{1,16}\.[A-Za-z0-9_:-]{1,150}\.\d{1,16}$/;

/** An id as a lease was answered with; whether there is such a lease is for delivery to say. */
export function isLeaseId(text: string): boolean {
  return LEASE_ID.test(text);
}

/**
 * `{"<lease>": {"step", "offsets"}}`: what a checkpoint of step `upTo` holds and no ack was answered for. Left out: null.
 * A CHECKPOINT HOLDS NO LATER STEP. 1 The one of step 6 names a batch of step 9; 2 it is sealed, and restored; 3 what step 9 trained
 * comes again, to weights that have it.
 */
export function batchTokensOf(body: Record<string, unknown>, upTo: number): BatchTokens | null {
  const value = body.tokens;
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw bad('tokens', 'tokens: {"<lease>": {"step": 1, "offsets": [0]}} is needed');
  const leases = Object.entries(value);
  if (leases.length > MOST_LEASES) throw bad('tokens', `tokens: at most ${MOST_LEASES} leases`);
  const tokens = new Map(leases.map(([lease, held]) => [checkedLease(lease), heldOf(`tokens.${lease}`, held, upTo)]));
  const offsets = [...tokens.values()].reduce((sum, held) => sum + held.offsets.length, 0);
  if (offsets > MOST_OFFSETS) throw bad('tokens', `tokens: at most ${MOST_OFFSETS} offsets in all`);
  return tokens;
}

function checkedLease(lease: string): string {
  if (isLeaseId(lease)) return lease;
  throw bad('tokens', `tokens: ids of leases are its keys, not ${JSON.stringify(lease.slice(0, 50))}`);
}

function heldOf(
  field: string,
  value: unknown,
  upTo: number,
): { readonly step: number; readonly offsets: readonly number[] } {
  if (!isObject(value)) throw bad(field, `${field}: {"step", "offsets"} is needed`);
  onlyFields(value, ['step', 'offsets'], `${field}.`);
  const { offsets } = value;
  const step = trainedStepOf(value, `${field}.step`);
  if (step > upTo) throw bad(`${field}.step`, `${field}.step: at most ${upTo}, the step of the checkpoint, is needed`);
  if (!Array.isArray(offsets) || offsets.length === 0 || !offsets.every(isOffset))
    throw bad(`${field}.offsets`, `${field}.offsets: a list of the offsets of its trajectories is needed`);
  return { step, offsets };
}

function isOffset(value: unknown): value is number {
  return isWhole(value, 0, Number.MAX_SAFE_INTEGER);
}
