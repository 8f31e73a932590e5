import type { Attempt, Judged } from '../model/attempt.ts';
import { type Audited, NOT_AUDITED } from '../model/audit-summary.ts';
import { gateOf } from '../model/gate.ts';
import { isKept } from '../model/is-kept.ts';
import type { Judgement, Scored } from '../model/judgement.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Policy } from '../model/policy.ts';
import type { RewardOf } from '../model/reward.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { type Fits, withoutSpace } from './record-space.ts';
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
  /** All that the audits say of an attempt and its facts. */
  readonly auditOf: (attempt: Attempt, scored: Scored) => Audited;
  /** Absent: everything does. */
  readonly fits?: Fits;
}

export interface Judge {
  /** What the audits say of an attempt as it stands, also in `attempt.audited`. */
  readonly audit: (attempt: Attempt) => Audited;
  readonly judge: (attempt: Attempt) => Judgement;
}

/**
 * Judges an attempt by the documents and the gate in force AS OF THE CLOSING OFFSET. 1 R ends @10 under P0; 2 P1 @12 is in the log
 * when @10 is folded: R is decided by P0. Remembered until the attempt or what is in force changes: a group asks about all its
 * members.
 * AUDITED WHENEVER JUDGED: 1 A of a group ends @5, audited: a repaired call; 2 cut at 10, restart: below the frontier A is no
 * candidate; 3 B completes the group @12, and A, judged without its audit, would train.
 */
export function createJudge({ state, documents, scoreOf, rewardOf, auditOf, fits = () => true }: JudgeDeps): Judge {
  const knownOf = (attempt: Attempt): Judged => {
    const { taxonomy_id: taxonomyId } = state.inForce;
    const { judged, revision, expiredBy } = attempt;
    if (judged?.revision === revision && judged.expiredBy === expiredBy && judged.taxonomyId === taxonomyId)
      return judged;
    const scored = scoreOf(attempt, documents.taxonomyOf(taxonomyId));
    const audited = auditOf(attempt, scored);
    const fresh: Judged = { scored, ruled: null, revision, expiredBy, taxonomyId };
    attempt.audited = audited;
    attempt.judged = fresh;
    return fresh;
  };
  return {
    audit(attempt) {
      knownOf(attempt);
      return attempt.audited ?? NOT_AUDITED;
    },
    judge(attempt) {
      const { policy_id: policyId, gates } = state.inForce;
      const known = knownOf(attempt);
      const { run_id: runId, env_name: envName } = attempt.identity;
      const policy = documents.policyOf(policyId);
      const { classes } = gateOf(gates, runId, policy.scopeOf(runId, envName).gate);
      if (known.ruled?.policyId === policyId && known.ruled.classes === classes) return known.ruled.judgement;
      const ruled = ruleOn(attempt, known.scored, policy, rewardOf, classes);
      const judgement = isKept(ruled.ruling) && !fits(attempt, ruled) ? withoutSpace(ruled) : ruled;
      known.ruled = { judgement, policyId, classes };
      return judgement;
    },
  };
}
