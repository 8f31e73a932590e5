/** Outcomes on the record path are values: only `ok` moves on to the next stage; an outage is never an outcome. */

/** What is wrong with a record, precise enough to mend its producer. */
export interface Fault {
  /** Stage that found it: decode, partition, assemble … */
  readonly stage: string;
  /** snake_case reason. */
  readonly code: string;
  /** Path of the field, such as `model_call.completion_logprobs`; '' when it is the whole record. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

export type Outcome<T> =
  | { readonly kind: 'ok'; readonly value: T }
  /** Readable, but not to be folded: duplicate, late, stale … Kept in step_faults. */
  | { readonly kind: 'reject'; readonly reason: string; readonly detail: string }
  /** Poison: goes byte for byte to rollout.dead-letter. */
  | { readonly kind: 'dead_letter'; readonly fault: Fault };

export function ok<T>(value: T): Outcome<T> {
  return { kind: 'ok', value };
}

export function reject(reason: string, detail = ''): Outcome<never> {
  return { kind: 'reject', reason, detail };
}

export function deadLetter(stage: string, code: string, field: string, expected: string, got: string): Outcome<never> {
  return { kind: 'dead_letter', fault: { stage, code, field, expected, got } };
}
