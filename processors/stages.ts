import { Subject } from 'rxjs';
import { type AssembleIn, type AssembleOut, createAssemble } from './assemble/assemble.ts';
import type { AssembleRules } from './assemble/reduce.ts';
import { createAudits } from './audit/audits.ts';
import { createDecide, type DecideAs, LIVE } from './decide/decide.ts';
import { createJudge, type Documents, type JudgeDeps } from './decide/judge.ts';
import type { Fits } from './decide/record-space.ts';
import { createStaleness } from './decide/staleness.ts';
import { createGroup } from './group/group.ts';
import type { Attempt } from './model/attempt.ts';
import type { Candidate } from './model/closing.ts';
import type { Judgement } from './model/judgement.ts';
import type { LaneState } from './model/lane-state.ts';
import type { Policy } from './model/policy.ts';
import { rewardOf } from './score/reward.ts';
import { createScore, scoreOf } from './score/score.ts';

export interface StagesDeps {
  readonly state: LaneState;
  readonly documents: Documents;
  readonly rules: AssembleRules;
  readonly auditOf: JudgeDeps['auditOf'];
  /** What has no place on the ready topic is quarantined. Absent: everything has. */
  readonly fits?: Fits;
  /** What has to come before a wave may be decided; null: nothing. Absent: nothing ever. */
  readonly awaited?: (wave: readonly Candidate[], policy: Policy) => Promise<void> | null;
  /** Absent: the live lane's. */
  readonly decideAs?: DecideAs;
}

export interface Stages {
  /** Folds decoded events and returns how many attempts were decided. Synchronous: for stages that wait for nothing. */
  fold(batch: AssembleIn): number;
  /** The same, waiting before each wave for what its decisions need. */
  foldWaiting(batch: AssembleIn): Promise<number>;
  /** Decides about candidates that no event brought. */
  decide(wave: readonly Candidate[]): void;
  /** What the documents in force make of an attempt as it stands. */
  readonly judge: (attempt: Attempt) => Judgement;
  readonly policyInForce: () => Policy;
}

/** The stages behind the decoder: the same for a lane and for a replay. When a fold is over, its effects are in `state.effects`. */
export function createStages({
  state,
  documents,
  rules,
  auditOf,
  fits = () => true,
  awaited = () => null,
  decideAs = LIVE,
}: StagesDeps): Stages {
  const { judge, audit } = createJudge({ state, documents, scoreOf, rewardOf, auditOf, fits });
  const policyInForce = () => documents.policyOf(state.inForce.policy_id);
  const batches = new Subject<AssembleIn>();
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
  batches.pipe(createAssemble(state, rules)).subscribe({
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
      createDecide(state, policyInForce, decideAs),
    )
    .subscribe({
      next: (count) => {
        decided += count;
      },
      error,
    });

  const begin = (batch: AssembleIn): AssembleOut => {
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
    decide,
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
