import type { GroupStats } from '../../schemas/generated/trajectory.ts';
import type { Attempt, Unit } from '../model/attempt.ts';
import type { Leaver } from '../model/closing.ts';
import { countingVerdicts } from '../model/counting-verdicts.ts';
import type { Judgement } from '../model/judgement.ts';
import type { Scope } from '../model/policy.ts';
import { baselineOf } from './baselines.ts';

/** An attempt of the group, judged by itself. */
export interface Member {
  readonly attempt: Attempt;
  readonly judgement: Judgement;
}

/**
 * What a group that closes gives the members that it keeps: the first that holds of a faulted member that takes them along, too
 * few valid ones, scores of two versions, no spread where the policy filters it, and else advantages.
 */
export function closeMembers(
  unit: Unit,
  kept: readonly Member[],
  { group: rule, reward }: Scope,
  hasFault: boolean,
): Leaver[] {
  if (hasFault && rule.onFault === 'drop') return kept.map((member) => dropped(member, 'group_fault'));
  const sized = kept.filter(({ judgement }) => judgement.countsForSize);
  if (sized.length < Math.min(rule.minValid, unit.size ?? 1))
    return kept.map((member) => dropped(member, 'group_too_small'));
  const given = hasFault && rule.onFault === 'mask' ? kept.map(maskedMember) : kept;
  if (scoreVersionsDiffer(sized, reward.turns === 'sum')) return given.map(withoutBaseline);
  const inside = kept.flatMap(({ judgement }) => (judgement.inBaseline ? [judgement.reward ?? 0] : []));
  const { advantages, ofOther, stats, hasSpread } = baselineOf(inside, rule);
  if (rule.zeroVariance === 'drop' && !hasSpread) return kept.map((member) => dropped(member, 'zero_variance', stats));
  let place = 0;
  return given.map(({ attempt, judgement }, groupIndex) => {
    const { inBaseline, rewardValid, reward: own } = judgement;
    const advantage = inBaseline ? advantages[place++] : rewardValid && own !== null ? ofOther(own) : null;
    return { attempt, judgement, advantage: advantage ?? null, groupStats: stats, groupIndex };
  });
}

function dropped({ attempt, judgement }: Member, why: string, groupStats: GroupStats | null = null): Leaver {
  const out: Judgement = {
    ...judgement,
    ruling: 'drop',
    why: [why, judgement.code],
    inLoss: false,
    inBaseline: false,
    countsForSize: false,
  };
  return { attempt, judgement: out, advantage: null, groupStats, groupIndex: null };
}

/** Out of the loss; its reward still counts for what the others are measured by. */
function maskedMember({ attempt, judgement }: Member): Member {
  return {
    attempt,
    judgement: { ...judgement, ruling: 'train_masked', why: [...judgement.why, 'group_fault'], inLoss: false },
  };
}

/** Never normalised across two versions of a scorer: the trainer is told, and may re-score. */
function withoutBaseline({ attempt, judgement }: Member, groupIndex: number): Leaver {
  return {
    attempt,
    judgement: { ...judgement, why: [...judgement.why, 'score_versions_differ'], inBaseline: false },
    advantage: null,
    groupStats: null,
    groupIndex,
  };
}

/** One scorer, two versions among the verdicts that made the rewards of the group. */
function scoreVersionsDiffer(members: readonly Member[], withTurns: boolean): boolean {
  const versions = new Map<string, string>();
  for (const { attempt } of members)
    for (const { scorer, scorerVersion, status, boundTo } of countingVerdicts(attempt.verdicts)) {
      if (status !== 'scored' || (boundTo !== null && !withTurns)) continue;
      const known = versions.get(scorer);
      if (known === undefined) versions.set(scorer, scorerVersion);
      else if (known !== scorerVersion) return true;
    }
  return false;
}
