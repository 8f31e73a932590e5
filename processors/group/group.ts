import { map, type OperatorFunction } from 'rxjs';
import { type Attempt, attemptKey, type Cause, isStarted, isWhole, type Unit } from '../model/attempt.ts';
import type { Candidate, Leaver, Leaving } from '../model/closing.ts';
import type { Judgement } from '../model/judgement.ts';
import { closeIfEmpty, closeUnit, giveUpOrphan, type LaneState, removeAttempt } from '../model/lane-state.ts';
import type { Policy } from '../model/policy.ts';
import { baselineOf } from './baselines.ts';

export interface GroupDeps {
  readonly state: LaneState;
  readonly judge: (attempt: Attempt) => Judgement;
  readonly policyInForce: () => Policy;
}

/**
 * Who leaves now: an attempt without a group of known size when it is judged; a member of one when each member waits or is out,
 * all at one offset, in one transaction. Membership is kept here: what leaves is decided, and its unit knows.
 */
export function createGroup({
  state,
  judge,
  policyInForce,
}: GroupDeps): OperatorFunction<readonly Candidate[], Leaving[]> {
  const leave = (unit: Unit, cause: Cause, members: readonly Leaver[], groupSizeActual: number | null): Leaving => {
    const recent = state.recent.get(unit.key) ?? [];
    state.recent.set(unit.key, recent);
    for (const { attempt, judgement } of members) {
      removeAttempt(state, attempt);
      unit.decided.set(attempt.rolloutId, { attempt: attempt.number, disposition: judgement.ruling });
      recent.push({
        rolloutId: attempt.rolloutId,
        attempt: attempt.number,
        disposition: judgement.ruling,
        offset: cause.offset,
      });
    }
    return { unit, cause, members, groupSizeActual };
  };

  const closeGroup = (unit: Unit, cause: Cause): Leaving[] => {
    const attempts = [...unit.attempts.values()];
    for (const orphan of attempts.filter((attempt) => !isStarted(attempt))) giveUpOrphan(state, orphan, cause);
    const judged = attempts.filter(isStarted).map((attempt) => ({ attempt, judgement: judge(attempt) }));
    closeUnit(state, unit);
    const kept = judged
      .filter(({ judgement }) => isKept(judgement))
      .sort((a, b) => compareText(a.attempt.rolloutId, b.attempt.rolloutId));
    const out = judged.filter((member) => !kept.includes(member));
    const members = [
      ...membersOf(unit, kept, policyInForce()),
      ...out.map(({ attempt, judgement }) => alone(attempt, outOfClosed(attempt, judgement))),
    ];
    return members.length === 0 ? [] : [leave(unit, cause, members, kept.length)];
  };

  const closeIfComplete = (unit: Unit, cause: Cause): Leaving[] => {
    if (unit.size === null || !state.units.has(unit.key)) return [];
    const waiting = new Set<string>();
    const alive = new Set<string>();
    for (const attempt of unit.attempts.values()) {
      if (isStarted(attempt)) alive.add(attempt.rolloutId);
      // Also one that another policy, in force since, would not keep: it has nothing to wait for.
      if (isDecidable(attempt) && judge(attempt).ruling !== 'wait') waiting.add(attempt.rolloutId);
    }
    let complete = waiting.size;
    for (const [rolloutId, { disposition }] of unit.decided)
      if (disposition !== 'retry' && disposition !== 'superseded' && !alive.has(rolloutId)) complete += 1;
    return complete >= unit.size ? closeGroup(unit, cause) : [];
  };

  const leavingOf = (candidate: Candidate): Leaving[] => {
    const { cause } = candidate;
    if (candidate.kind === 'unit_expired') return expireUnit(candidate.unit, cause, candidate.deadline);
    const { attempt } = candidate;
    const { unit } = attempt;
    if (candidate.kind === 'superseded') {
      attempt.expiredBy ??= 'higher_attempt';
      return [leave(unit, cause, [alone(attempt, superseded(judge(attempt)))], null)];
    }
    const judgement = judge(attempt);
    if (judgement.ruling === 'wait') return [];
    if (unit.size !== null && isKept(judgement)) return closeIfComplete(unit, cause);
    const left = leave(unit, cause, [alone(attempt, judgement)], null);
    if (unit.size !== null) return [left, ...closeIfComplete(unit, cause)];
    closeIfEmpty(state, unit);
    return [left];
  };

  const expireUnit = (unit: Unit, cause: Cause, deadline: string): Leaving[] => {
    for (const attempt of unit.attempts.values()) attempt.expiredBy ??= deadline;
    if (unit.size !== null) return closeGroup(unit, cause);
    const members = [...unit.attempts.values()].filter(isStarted).map((attempt) => alone(attempt, judge(attempt)));
    for (const orphan of [...unit.attempts.values()].filter((attempt) => !isStarted(attempt)))
      giveUpOrphan(state, orphan, cause);
    const left = members.length === 0 ? [] : [leave(unit, cause, members, null)];
    closeIfEmpty(state, unit);
    return left;
  };

  return map(function group(candidates) {
    // An earlier candidate of the wave may have closed the group of a later one.
    return candidates.flatMap((candidate) => (isOpen(candidate) ? leavingOf(candidate) : []));
  });
}

function isOpen(candidate: Candidate): boolean {
  if (candidate.kind === 'unit_expired') return true;
  const { attempt } = candidate;
  return attempt.unit.attempts.get(attemptKey(attempt.rolloutId, attempt.number)) === attempt;
}

/** Kept members with their advantages; too few valid ones, and none of them trains. */
function membersOf(
  unit: Unit,
  kept: ReadonlyArray<{ attempt: Attempt; judgement: Judgement }>,
  policy: Policy,
): Leaver[] {
  const valid = kept.filter(({ judgement }) => judgement.inBaseline);
  const { group: rule } = policy.scopeOf(unit.runId, kept[0]?.attempt.identity.env_name ?? '');
  if (kept.length > 0 && valid.length < Math.min(rule.minValid, unit.size ?? 1))
    return kept.map(({ attempt, judgement }) =>
      alone(attempt, {
        ...judgement,
        ruling: 'drop',
        why: ['group_too_small', judgement.code],
        inLoss: false,
        inBaseline: false,
        countsForSize: false,
      }),
    );
  const { advantages, stats } = baselineOf(
    valid.map(({ judgement }) => judgement.reward ?? 0),
    rule,
  );
  return kept.map(({ attempt, judgement }, groupIndex) => {
    const place = valid.findIndex((member) => member.attempt === attempt);
    return {
      attempt,
      judgement,
      advantage: place < 0 ? null : (advantages[place] ?? null),
      groupStats: stats,
      groupIndex,
    };
  });
}

function alone(attempt: Attempt, judgement: Judgement): Leaver {
  return { attempt, judgement, advantage: null, groupStats: null, groupIndex: null };
}

/** None is retried from a group that has closed: a second group of that id would have a baseline of its own. */
function outOfClosed(attempt: Attempt, judgement: Judgement): Judgement {
  const out = { ...judgement, ruling: 'drop', reward: null, rewardValid: false } as const;
  if (!isDecidable(attempt))
    return { ...out, why: ['group_closed'], inLoss: false, inBaseline: false, countsForSize: false };
  return judgement.ruling === 'retry' || judgement.ruling === 'wait'
    ? { ...out, why: [judgement.code, 'group_closed'] }
    : judgement;
}

function superseded(judgement: Judgement): Judgement {
  return {
    ...judgement,
    ruling: 'superseded',
    why: ['higher_attempt', judgement.code],
    inLoss: false,
    inBaseline: false,
    countsForSize: false,
  };
}

function isKept({ ruling }: Judgement): boolean {
  return ruling === 'train' || ruling === 'train_masked' || ruling === 'penalise';
}

/** Its events are all there, or a deadline said that no more will come. */
function isDecidable(attempt: Attempt): boolean {
  return isStarted(attempt) && (isWhole(attempt) || attempt.expiredBy !== null);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
