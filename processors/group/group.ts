import { map, type OperatorFunction } from 'rxjs';
import { type Attempt, attemptKey, type Cause, isStarted, isWhole, type Unit } from '../model/attempt.ts';
import type { Candidate, Leaver, Leaving } from '../model/closing.ts';
import { compareText } from '../model/compare-text.ts';
import { isKept } from '../model/is-kept.ts';
import type { Judgement } from '../model/judgement.ts';
import { closeIfEmpty, closeUnit, giveUpOrphan, type LaneState, removeAttempt } from '../model/lane-state.ts';
import type { Policy, Scope } from '../model/policy.ts';
import { closeMembers, type Member } from './close-members.ts';

export interface GroupDeps {
  readonly state: LaneState;
  readonly judge: (attempt: Attempt) => Judgement;
  readonly policyInForce: () => Policy;
}

/**
 * Who leaves now: an attempt without a group of known size when it is judged; a member of one when each member waits or is out,
 * all at one offset, in one transaction, or (emit: each) when it is judged, without advantage. Membership is kept here: what
 * leaves is decided, and its unit knows.
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
      const { rolloutId, number } = attempt;
      const { ruling: disposition, category } = judgement;
      unit.decided.set(rolloutId, { attempt: number, disposition, category });
      recent.push({ rolloutId, attempt: number, disposition, category, offset: cause.offset });
    }
    return { unit, cause, members, groupSizeActual };
  };

  const closeGroup = (unit: Unit, cause: Cause): Leaving[] => {
    const kept: Member[] = [];
    const out: Member[] = [];
    let envName = '';
    for (const attempt of [...unit.attempts.values()]) {
      if (!isStarted(attempt)) {
        giveUpOrphan(state, attempt, cause);
        continue;
      }
      const judgement = judge(attempt);
      envName ||= attempt.identity.env_name;
      if (isKept(judgement.ruling)) kept.push({ attempt, judgement });
      else out.push({ attempt, judgement: outOfClosed(attempt, judgement) });
    }
    const scope = policyInForce().scopeOf(unit.runId, envName);
    const hasFault = out.some(({ judgement }) => isFault(judgement.category)) || hasLostMember(unit, [...kept, ...out]);
    closeUnit(state, unit);
    kept.sort((a, b) => compareText(a.attempt.rolloutId, b.attempt.rolloutId));
    const isEach = passesAlone(unit, scope);
    const members = [...(isEach ? kept.map(alone) : closeMembers(unit, kept, scope, hasFault)), ...out.map(alone)];
    return members.length === 0 ? [] : [leave(unit, cause, members, isEach ? null : kept.length)];
  };

  const closeIfComplete = (unit: Unit, cause: Cause): Leaving[] => {
    if (unit.size === null || !state.units.has(unit.key)) return [];
    // Not even if all were done: most calls of a group that starts one by one.
    if (unit.attempts.size + unit.decided.size < unit.size) return [];
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
      return [leave(unit, cause, [alone({ attempt, judgement: superseded(judge(attempt)) })], null)];
    }
    const judgement = judge(attempt);
    if (judgement.ruling === 'wait') return [];
    if (unit.size !== null && isKept(judgement.ruling)) {
      const scope = policyInForce().scopeOf(unit.runId, attempt.identity.env_name);
      if (!passesAlone(unit, scope)) return closeIfComplete(unit, cause);
    }
    const left = leave(unit, cause, [alone({ attempt, judgement })], null);
    if (unit.size !== null) return [left, ...closeIfComplete(unit, cause)];
    closeIfEmpty(state, unit);
    return [left];
  };

  const expireUnit = (unit: Unit, cause: Cause, deadline: string): Leaving[] => {
    for (const attempt of unit.attempts.values()) attempt.expiredBy ??= deadline;
    if (unit.size !== null) return closeGroup(unit, cause);
    const members: Leaver[] = [];
    for (const attempt of [...unit.attempts.values()])
      if (isStarted(attempt)) members.push(alone({ attempt, judgement: judge(attempt) }));
      else giveUpOrphan(state, attempt, cause);
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

/**
 * Members of this group do not wait for each other. Nor where one has passed before under another policy:
 * 1 A passes @10, emit: each; 2 the policy @12 says complete; 3 B and C end: a baseline of two would call itself the group's.
 */
function passesAlone(unit: Unit, { group }: Scope): boolean {
  if (group.emit === 'each') return true;
  for (const { disposition } of unit.decided.values()) if (isKept(disposition)) return true;
  return false;
}

/** A member that ended by a fault, and is not tried again; or was to be, and has not ended again when its group closes. */
function hasLostMember(unit: Unit, open: readonly Member[]): boolean {
  const isThere = (id: string) => open.some(({ attempt }) => attempt.rolloutId === id && isDecidable(attempt));
  for (const [rolloutId, { disposition, category }] of unit.decided)
    if (isFault(category) && disposition !== 'superseded' && !isKept(disposition) && !isThere(rolloutId)) return true;
  return false;
}

function isFault(category: string): boolean {
  return category === 'env_fault' || category === 'infra_fault' || category === 'harness_fault';
}

function alone({ attempt, judgement }: Member): Leaver {
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

/** Its events are all there, or a deadline said that no more will come. */
function isDecidable(attempt: Attempt): boolean {
  return isStarted(attempt) && (isWhole(attempt) || attempt.expiredBy !== null);
}
