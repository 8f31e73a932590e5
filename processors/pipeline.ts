import { Subject } from 'rxjs';
import type { StepEvent } from '../schemas/generated/step-event.ts';
import { type AssembleOut, createAssemble } from './assemble/assemble.ts';
import type { AssembleRules } from './assemble/reduce.ts';
import { createAuditOf } from './audit/audit-of.ts';
import { createAudits } from './audit/audits.ts';
import { createDecide } from './decide/decide.ts';
import { createJudge, type Documents } from './decide/judge.ts';
import type { Fits } from './decide/record-space.ts';
import { createStaleness } from './decide/staleness.ts';
import { createDecode, type DecodeIn } from './decode/decode.ts';
import { createGroup } from './group/group.ts';
import type { Attempt } from './model/attempt.ts';
import type { Audits } from './model/audit-summary.ts';
import type { Candidate } from './model/closing.ts';
import type { Judgement } from './model/judgement.ts';
import type { LaneState } from './model/lane-state.ts';
import type { Outcome } from './model/outcome.ts';
import type { Policy } from './model/policy.ts';
import { rewardOf } from './score/reward.ts';
import { createScore, scoreOf } from './score/score.ts';

export interface PipelineDeps {
  readonly state: LaneState;
  readonly decodeEvent: (value: Buffer) => Outcome<StepEvent>;
  readonly partitionOfKey: (key: string) => number;
  readonly documents: Documents;
  readonly audits: Audits;
  readonly limits: Omit<AssembleRules, 'watch'>;
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

/** The stages of a lane. When a fold is over, the batch is in `state` and its effects are in `state.effects`. */
export function createPipeline({
  state,
  decodeEvent,
  partitionOfKey,
  documents,
  audits,
  limits,
  fits = () => true,
  awaited = () => null,
}: PipelineDeps): Pipeline {
  const { judge, audit } = createJudge({ state, documents, scoreOf, rewardOf, auditOf: createAuditOf(audits), fits });
  const policyInForce = () => documents.policyOf(state.inForce.policy_id);
  const batches = new Subject<DecodeIn>();
  const waves = new Subject<readonly Candidate[]>();
  let assembled: AssembleOut = [];
  let decided = 0;
  let failure: { readonly error: unknown } | null = null;
  // A fault of a record is a value; what throws is a bug, and ends the lane loudly (RxJS would rethrow it unobserved).
  const error = (thrown: unknown) => {
    failure = { error: thrown };
  };
  const throwFailure = () => {
    if (failure !== null) throw failure.error;
  };
  batches
    .pipe(
      createDecode({ state, decodeEvent, partitionOfKey }),
      createAssemble(state, { ...limits, watch: audits.watch }),
    )
    .subscribe({
      next: (wavesOfBatch) => {
        assembled = wavesOfBatch;
      },
      error,
    });
  waves
    .pipe(
      createAudits(audit),
      createScore(judge),
      createGroup({ state, judge, policyInForce }),
      createStaleness(state, policyInForce),
      createDecide(state, policyInForce),
    )
    .subscribe({
      next: (count) => {
        decided += count;
      },
      error,
    });

  const begin = (batch: DecodeIn): AssembleOut => {
    decided = 0;
    batches.next(batch);
    throwFailure();
    return assembled;
  };
  const decide = (wave: readonly Candidate[]) => {
    waves.next(wave);
    throwFailure();
  };
  return {
    judge,
    policyInForce,
    fold(batch) {
      for (const wave of begin(batch)) decide(wave);
      return decided;
    },
    async foldWaiting(batch) {
      for (const wave of begin(batch)) {
        const wait = awaited(wave, policyInForce());
        if (wait !== null) await wait;
        decide(wave);
      }
      return decided;
    },
  };
}
