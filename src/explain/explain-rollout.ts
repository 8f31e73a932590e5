import type {
  DecisionJson,
  ExplainedAttempt,
  ExplainedGroup,
  ExplainedRollout,
  JsonRow,
  VerdictJson,
} from '../access/explanation.ts';
import type { TrajectoryJson } from '../ready/trajectory-json.ts';
import { attemptSentence } from './attempt-sentence.ts';
import { deliveryWords } from './delivery-words.ts';
import { callCounts } from './facts-of-attempt.ts';
import { firedPolicy } from './fired-policy.ts';
import type { RecalledPolicy } from './recall-policy.ts';
import { rewardParts } from './reward-parts.ts';
import { rolloutSentence } from './rollout-sentence.ts';
import { wouldTrain } from './would-train.ts';

/** An attempt as the store has it, and the policy that decided it. */
export type KnownAttempt = Omit<ExplainedAttempt, 'summary' | 'would_train' | 'policy' | 'reward_parts'> & {
  readonly recalled: RecalledPolicy | null;
};

/** The group of a rollout, with what its policy wants of it; null: it has none. */
export function groupOf(
  { group_id, group_size }: { readonly group_id: string | null; readonly group_size: number | null },
  found: Pick<ExplainedGroup, 'members' | 'stats'>,
  { attempts, runId }: { readonly attempts: readonly KnownAttempt[]; readonly runId: string },
): ExplainedGroup | null {
  if (group_id === null) return null;
  const decided = attempts.findLast(({ decision }) => decision !== null);
  const scope = decided?.recalled?.policy.scopeOf(runId, decided.decision?.env_name ?? '');
  return { group_id, size: group_size, min_valid: scope?.group.minValid ?? null, ...found };
}

export interface KnownRollout {
  readonly runId: string;
  readonly epoch: number;
  readonly unit: string;
  readonly group: ExplainedGroup | null;
  readonly attempts: readonly KnownAttempt[];
  readonly shipped: readonly RecalledPolicy[];
}

/** What follows from the rows. */
export function explainRollout({
  runId,
  epoch,
  unit,
  group,
  attempts: known,
  shipped,
}: KnownRollout): ExplainedRollout {
  const attempts = known.map(({ recalled, ...attempt }): ExplainedAttempt => {
    const { decision, trajectory, verdicts, steps } = attempt;
    const parts =
      decision === null || trajectory === null
        ? []
        : partsOf({ decision, trajectory, verdicts, steps, recalled, runId });
    const decided = {
      ...attempt,
      policy: decision === null || recalled === null ? null : firedPolicy(decision, runId, recalled),
      reward_parts: parts,
    };
    const asked =
      decision === null || trajectory === null || recalled === null ? null : { decision, trajectory, recalled };
    return {
      ...decided,
      summary: `${attemptSentence(decided, { group, attempts: known })}${deliveryClause(decided, runId)}`,
      would_train:
        asked === null ? [] : wouldTrain({ ...decided, ...asked }, { runId, group, recalled: asked.recalled, shipped }),
    };
  });
  return { run_id: runId, epoch, unit, summary: rolloutSentence(attempts), group, attempts };
}

function partsOf(of: {
  readonly decision: DecisionJson;
  readonly trajectory: TrajectoryJson;
  readonly verdicts: readonly VerdictJson[];
  readonly steps: readonly JsonRow[];
  readonly recalled: RecalledPolicy | null;
  readonly runId: string;
}): ExplainedAttempt['reward_parts'] {
  const { decision, trajectory, verdicts, steps, recalled, runId } = of;
  const reward = recalled?.policy.scopeOf(runId, decision.env_name).reward ?? null;
  return rewardParts(trajectory.reward_components, { decision, verdicts, calls: callCounts(steps), reward });
}

/** Of what nothing was said, the sentence says enough. */
function deliveryClause({ deliveries }: Pick<ExplainedAttempt, 'deliveries'>, runId: string): string {
  const own = deliveries?.find(({ run_id }) => run_id === runId);
  return own === undefined ? '' : ` It ${deliveryWords(own)}.`;
}
