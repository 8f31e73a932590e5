import { createHash } from 'node:crypto';
import type { SampledCall } from './sampled-call.ts';

/** What must have become of an import. */
export interface Expected {
  /** Digest of what the trainer sees, by run and rollout. */
  readonly ready: Map<string, string>;
  readonly runs: Map<string, { started: number; ready: number; rejected: Record<string, number> }>;
  /** Events that a producer wrote, by kind; each has one row, in steps or (a verdict that came too late) in verdicts alone. */
  readonly events: Map<string, number>;
  lateVerdicts: number;
}

export function emptyExpected(): Expected {
  return { ready: new Map(), runs: new Map(), events: new Map(), lateVerdicts: 0 };
}

export function countEvents(expected: Expected, counts: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(counts))
    expected.events.set(kind, (expected.events.get(kind) ?? 0) + count);
}

export type Outcome = { readonly ready: string } | { readonly rejected: string };

export function expectOutcome(expected: Expected, run: string, rolloutId: string, outcome: Outcome): void {
  const books = expected.runs.get(run) ?? { started: 0, ready: 0, rejected: {} };
  expected.runs.set(run, books);
  books.started += 1;
  if ('ready' in outcome) {
    books.ready += 1;
    expected.ready.set(`${run} ${rolloutId}`, outcome.ready);
  } else books.rejected[outcome.rejected] = (books.rejected[outcome.rejected] ?? 0) + 1;
}

/** Of token ids, sampled mask and logprobs (float32, 0 where nothing was sampled) bit by bit, and of the reward. */
export function trajectoryDigest(
  ids: readonly number[],
  mask: readonly number[],
  logprobs: readonly number[],
  reward: number | null,
): string {
  return createHash('sha256')
    .update(Uint32Array.from(ids))
    .update(Uint8Array.from(mask))
    .update(Float32Array.from(logprobs))
    .update(String(reward))
    .digest('hex');
}

export function digestOfCalls(calls: readonly SampledCall[], reward: number | null): string {
  const ids = calls.flatMap(({ promptIds, completionIds }) => [...promptIds, ...completionIds]);
  const mask = calls.flatMap(({ promptIds, completionIds }) => [
    ...promptIds.map(() => 0),
    ...completionIds.map(() => 1),
  ]);
  const logs = calls.flatMap(({ promptIds, logprobs }) => [...promptIds.map(() => 0), ...logprobs]);
  return trajectoryDigest(ids, mask, logs, reward);
}
