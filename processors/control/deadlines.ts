import type { DeadlineName } from '../../schemas/generated/step-event.ts';
import { type Attempt, attemptKey, isStarted, isWhole, sawOf, type Unit } from '../model/attempt.ts';
import { isKept } from '../model/is-kept.ts';
import type { Judgement } from '../model/judgement.ts';
import type { LaneState } from '../model/lane-state.ts';
import type { Policy, PolicyDeadlines } from '../model/policy.ts';

export interface DeadlineLimits {
  readonly gapMs: number;
  readonly orphanMs: number;
  readonly verdictMs: number;
  readonly idleMs: number;
  readonly groupMs: number;
  readonly lifetimeMs: number;
}

export interface DeadlinesDeps {
  readonly judge: (attempt: Attempt) => Judgement;
  readonly policyInForce: () => Policy;
  /** Runs that are being deleted: what is open of them closes at once. Absent: none ever is. */
  readonly ending?: () => ReadonlySet<string>;
}

/** A deadline that has passed: to be written into the log, and to act when it comes back. */
export interface Due {
  readonly name: DeadlineName;
  readonly unit: Unit;
  /** null: about the unit. */
  readonly attempt: Attempt | null;
  readonly saw: string;
}

interface Watched {
  readonly unit: Unit;
  readonly attempt: Attempt | null;
}

/**
 * Deadlines of all open attempts and units on one wheel of one-second slots. Nothing is moved when an event comes: a slot that
 * is due looks again, at least once in the shortest limit, so that no deadline can begin and pass between two looks.
 */
export function createDeadlines(state: LaneState, configured: DeadlineLimits, deps: DeadlinesDeps) {
  const { judge, policyInForce, ending = () => NONE } = deps;
  const ended = new WeakSet<Unit>();
  const slots = new Map<number, Watched[]>();
  const watching = new WeakSet<Attempt | Unit>();
  const known = new WeakMap<PolicyDeadlines, DeadlineLimits>();
  let lookAgainMs = shortestOf(configured);
  let doneUpTo = -1;

  /** Those of the policy in force, where it has its own; what is kept of the log is reckoned by the configured lifetime. */
  const limitsOf = (runId: string, envName: string): DeadlineLimits => {
    const { deadlines } = policyInForce().scopeOf(runId, envName);
    const found = known.get(deadlines);
    if (found !== undefined) return found;
    const lifetimeMs = Math.min(deadlines.lifetimeMs ?? configured.lifetimeMs, configured.lifetimeMs);
    const limits = { ...configured, ...deadlines, lifetimeMs };
    known.set(deadlines, limits);
    lookAgainMs = Math.min(lookAgainMs, shortestOf(limits));
    return limits;
  };
  const limitsOfUnit = (unit: Unit): DeadlineLimits => {
    const [first] = unit.attempts.values();
    return limitsOf(unit.runId, first?.identity.env_name ?? '');
  };

  const watch = (watched: Watched, atMs: number) => {
    const slot = Math.max(Math.ceil(atMs / 1000), doneUpTo + 1);
    const others = slots.get(slot);
    if (others === undefined) slots.set(slot, [watched]);
    else others.push(watched);
  };

  const look = (watched: Watched, clockMs: number, due: Due[]) => {
    const { unit, attempt } = watched;
    if (state.units.get(unit.key) !== unit) return;
    if (attempt === null) {
      if (clockMs >= unit.openedAtMs + limitsOfUnit(unit).groupMs && !unit.asked) {
        unit.asked = true;
        due.push({ name: 'group_incomplete', unit, attempt, saw: '' });
      }
    } else {
      if (unit.attempts.get(attemptKey(attempt.rolloutId, attempt.number)) !== attempt) return;
      const next = nextOf(attempt, limitsOf(unit.runId, attempt.identity.env_name), judge);
      const saw = next === null ? '' : `${next.name}:${sawOf(attempt)}`;
      if (next !== null && clockMs >= next.atMs && attempt.asked !== saw) {
        attempt.asked = saw;
        due.push({ name: next.name, unit, attempt, saw: sawOf(attempt) });
      }
      if (next !== null && next.atMs > clockMs) {
        watch(watched, Math.min(next.atMs, clockMs + lookAgainMs));
        return;
      }
    }
    watch(watched, clockMs + lookAgainMs);
  };

  /** NOT BY FORGETTING THEM: a restart would build them again from the log, which has no word of it. */
  const endedUnits = (): Due[] => {
    const runs = ending();
    const due: Due[] = [];
    if (runs.size === 0) return due;
    for (const unit of state.units.values()) {
      if (!runs.has(unit.runId) || ended.has(unit)) continue;
      ended.add(unit);
      due.push({ name: 'group_incomplete', unit, attempt: null, saw: '' });
    }
    return due;
  };

  return {
    /** Takes up what opened since the last call. */
    watchOpened(opened: Iterable<Attempt>): void {
      for (const attempt of opened) {
        if (!watching.has(attempt)) {
          watching.add(attempt);
          limitsOf(attempt.unit.runId, attempt.identity.env_name);
          watch({ unit: attempt.unit, attempt }, attempt.lastAtMs + lookAgainMs);
        }
        if (attempt.unit.size === null || watching.has(attempt.unit)) continue;
        watching.add(attempt.unit);
        watch({ unit: attempt.unit, attempt: null }, attempt.unit.openedAtMs + limitsOfUnit(attempt.unit).groupMs);
      }
    },
    /** What has passed by `clockMs`, the lane's clock. Each is told once for what it saw. */
    due(clockMs: number): Due[] {
      const due = endedUnits();
      const upTo = Math.floor(clockMs / 1000);
      if (upTo <= doneUpTo) return due;
      const ripe = [...slots.keys()].filter((slot) => slot <= upTo);
      doneUpTo = upTo;
      for (const slot of ripe) {
        const watched = slots.get(slot) ?? [];
        slots.delete(slot);
        for (const one of watched) look(one, clockMs, due);
      }
      return due;
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function shortestOf(limits: DeadlineLimits): number {
  return Math.max(
    1000,
    Math.min(limits.gapMs, limits.orphanMs, limits.verdictMs, limits.idleMs, limits.groupMs, limits.lifetimeMs),
  );
}

export type Deadlines = ReturnType<typeof createDeadlines>;

/** The next deadline of an attempt as it stands; null: it waits for its group. */
function nextOf(
  attempt: Attempt,
  limits: DeadlineLimits,
  judge: (attempt: Attempt) => Judgement,
): { name: DeadlineName; atMs: number } | null {
  if (!isStarted(attempt)) return { name: 'orphan', atMs: attempt.openedAtMs + limits.orphanMs };
  if (isWhole(attempt)) {
    // Also one that does not wait for its verdict any more: 1 it ends @10 and waits; 2 the policy @12, or another build after a
    // restart, takes its end for a fault; 3 nothing more comes, and nobody would ask again.
    const waitsForItsGroup = attempt.unit.size !== null && isKept(judge(attempt).ruling);
    return waitsForItsGroup ? null : { name: 'verdict_missing', atMs: attempt.lastAtMs + limits.verdictMs };
  }
  const lifetime = { name: 'lifetime', atMs: attempt.openedAtMs + limits.lifetimeMs } as const;
  const silence =
    attempt.waiting !== null && attempt.waiting.size > 0
      ? ({ name: 'gap', atMs: attempt.lastAtMs + limits.gapMs } as const)
      : ({ name: 'idle', atMs: attempt.lastAtMs + limits.idleMs } as const);
  return silence.atMs <= lifetime.atMs ? silence : lifetime;
}
