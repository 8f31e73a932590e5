import { Subject } from 'rxjs';
import type { StepEvent } from '../schemas/generated/step-event.ts';
import { createAssemble } from './assemble/assemble.ts';
import type { AssembleRules } from './assemble/reduce.ts';
import { createAudits } from './audit/audits.ts';
import { createDecide } from './decide/decide.ts';
import { createJudge, type Documents } from './decide/judge.ts';
import { createStaleness } from './decide/staleness.ts';
import { createDecode, type DecodeIn } from './decode/decode.ts';
import { createGroup } from './group/group.ts';
import type { Attempt } from './model/attempt.ts';
import type { Audits } from './model/audit-summary.ts';
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
}

export interface Pipeline {
  /** Folds a batch and returns how many attempts were decided. */
  fold(batch: DecodeIn): number;
  /** What the documents in force make of an attempt as it stands. */
  readonly judge: (attempt: Attempt) => Judgement;
  readonly policyInForce: () => Policy;
}

/** The stages of a lane. `fold` is synchronous: when it returns, the batch is in `state` and its effects are in `state.effects`. */
export function createPipeline({
  state,
  decodeEvent,
  partitionOfKey,
  documents,
  audits,
  limits,
}: PipelineDeps): Pipeline {
  const { judge, scored } = createJudge({ state, documents, scoreOf, rewardOf });
  const policyInForce = () => documents.policyOf(state.inForce.policy_id);
  const batches = new Subject<DecodeIn>();
  let decided = 0;
  let failure: { readonly error: unknown } | null = null;
  batches
    .pipe(
      createDecode({ state, decodeEvent, partitionOfKey }),
      createAssemble(state, { ...limits, watch: audits.watch }),
      createAudits(audits, scored),
      createScore(judge),
      createGroup({ state, judge, policyInForce }),
      createStaleness(state, policyInForce),
      createDecide(state, policyInForce),
    )
    .subscribe({
      next: (count) => {
        decided += count;
      },
      // A fault of a record is a value; what throws is a bug, and ends the lane loudly (RxJS would rethrow it unobserved).
      error: (error: unknown) => {
        failure = { error };
      },
    });
  return {
    judge,
    policyInForce,
    fold(batch) {
      decided = 0;
      batches.next(batch);
      if (failure !== null) throw failure.error;
      return decided;
    },
  };
}
