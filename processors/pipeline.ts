import { Subject } from 'rxjs';
import type { StepEvent } from '../schemas/generated/step-event.ts';
import type { AssembleIn } from './assemble/assemble.ts';
import type { AssembleRules } from './assemble/reduce.ts';
import { createAuditOf } from './audit/audit-of.ts';
import type { Documents } from './decide/judge.ts';
import type { Fits } from './decide/record-space.ts';
import { createDecode, type DecodeIn } from './decode/decode.ts';
import type { Attempt } from './model/attempt.ts';
import type { Audits } from './model/audit-summary.ts';
import type { Candidate } from './model/closing.ts';
import type { Judgement } from './model/judgement.ts';
import type { LaneState } from './model/lane-state.ts';
import type { Outcome } from './model/outcome.ts';
import type { Policy } from './model/policy.ts';
import { createStages } from './stages.ts';

export interface PipelineDeps {
  readonly state: LaneState;
  readonly decodeEvent: (value: Buffer) => Outcome<StepEvent>;
  readonly partitionOfKey: (key: string) => number;
  readonly documents: Documents;
  readonly audits: Audits;
  readonly limits: Pick<AssembleRules, 'reorderEvents'>;
  /** What has no place on the ready topic is quarantined. Absent: everything has. */
  readonly fits?: Fits;
  /** What has to come before a wave may be decided; null: nothing. Absent: nothing ever. */
  readonly awaited?: (wave: readonly Candidate[], policy: Policy) => Promise<void> | null;
}

export interface Pipeline {
  /** Folds a batch and returns how many attempts were decided. Synchronous: for a pipeline that waits for nothing. */
  fold(batch: DecodeIn): number;
  /** The same, waiting before each wave for what its decisions need. */
  foldWaiting(batch: DecodeIn): Promise<number>;
  /** What the documents in force make of an attempt as it stands. */
  readonly judge: (attempt: Attempt) => Judgement;
  readonly policyInForce: () => Policy;
}

/** The stages of a lane: the decoder, and all that is behind it. When a fold is over, the batch is in `state` and its effects are in `state.effects`. */
export function createPipeline({
  state,
  decodeEvent,
  partitionOfKey,
  documents,
  audits,
  limits,
  fits,
  awaited,
}: PipelineDeps): Pipeline {
  const stages = createStages({
    state,
    documents,
    rules: { ...limits, watch: audits.watch },
    auditOf: createAuditOf(audits),
    ...(fits && { fits }),
    ...(awaited && { awaited }),
  });
  const batches = new Subject<DecodeIn>();
  let decoded: AssembleIn = [];
  let failure: { readonly error: unknown } | null = null;
  batches.pipe(createDecode({ state, decodeEvent, partitionOfKey })).subscribe({
    next: (events) => {
      decoded = events;
    },
    // A fault of a record is a value; what throws is a bug, and ends the lane loudly (RxJS would rethrow it unobserved).
    error: (thrown: unknown) => {
      failure = { error: thrown };
    },
  });
  const decode = (batch: DecodeIn): AssembleIn => {
    batches.next(batch);
    if (failure !== null) throw (failure as { error: unknown }).error;
    return decoded;
  };
  return {
    judge: stages.judge,
    policyInForce: stages.policyInForce,
    fold: (batch) => stages.fold(decode(batch)),
    foldWaiting: (batch) => stages.foldWaiting(decode(batch)),
  };
}
