import type { Attempt } from '../model/attempt.ts';
import type { Judgement, Scored } from '../model/judgement.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Policy } from '../model/policy.ts';
import type { RewardOf } from '../model/reward.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { ruleOn } from './rule-on.ts';

/** The documents that control events name, by hash. The lane has loaded them before a record that names them is folded. */
export interface Documents {
  policyOf(id: string): Policy;
  taxonomyOf(id: string): Taxonomy;
}

export interface JudgeDeps {
  readonly state: LaneState;
  readonly documents: Documents;
  readonly scoreOf: (attempt: Attempt, taxonomy: Taxonomy) => Scored;
  readonly rewardOf: RewardOf<Attempt>;
}

/**
 * Judges an attempt by the documents in force AS OF THE CLOSING OFFSET. 1 R ends @10 under P0; 2 P1 @12 is in the log when @10
 * is folded: R is decided by P0. Remembered until the attempt or the documents change: a group asks about all its members.
 */
export function createJudge({ state, documents, scoreOf, rewardOf }: JudgeDeps): (attempt: Attempt) => Judgement {
  return function judge(attempt) {
    const { policy_id: policyId, taxonomy_id: taxonomyId } = state.inForce;
    const { judged, revision, expiredBy } = attempt;
    const fresh = judged?.revision === revision && judged.expiredBy === expiredBy;
    if (judged !== null && fresh && judged.policyId === policyId && judged.taxonomyId === taxonomyId)
      return judged.judgement;
    const facts = scoreOf(attempt, documents.taxonomyOf(taxonomyId));
    const judgement = ruleOn(attempt, facts, documents.policyOf(policyId), rewardOf);
    attempt.judged = { judgement, revision, expiredBy, policyId, taxonomyId };
    return judgement;
  };
}
