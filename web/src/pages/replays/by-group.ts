import type { ChangedAttempt } from '../../../../processors/replay/diff-tally.ts';
import type { Row } from '../../api/row.ts';

/** What a replay changed in one group. Of attempts that the report names. */
export interface GroupChange extends Row {
  readonly unit: string;
  readonly changed: number;
  readonly trained_before: number;
  readonly trained_after: number;
  /** Of those with a reward before and after; null: there are none. */
  readonly mean_reward_change: number | null;
  readonly largest_advantage_change: number | null;
}

const TRAINS = new Set(['train', 'train_masked', 'penalise']);

/** The group with the most changes first. */
export function changedByGroup(examples: readonly ChangedAttempt[]): GroupChange[] {
  const groups = new Map<string, ChangedAttempt[]>();
  for (const one of examples) groups.set(one.unit, [...(groups.get(one.unit) ?? []), one]);
  return [...groups]
    .map(([unit, changed]) => {
      const rewards = changed.flatMap((one) => differenceOf(one, 'reward'));
      const advantages = changed.flatMap((one) => differenceOf(one, 'advantage')).map(Math.abs);
      return {
        unit,
        changed: changed.length,
        trained_before: changed.filter(({ before }) => before !== null && TRAINS.has(before.disposition)).length,
        trained_after: changed.filter(({ after }) => after !== null && TRAINS.has(after.disposition)).length,
        mean_reward_change: rewards.length === 0 ? null : rewards.reduce((sum, by) => sum + by, 0) / rewards.length,
        largest_advantage_change: advantages.length === 0 ? null : Math.max(...advantages),
      };
    })
    .sort((a, b) => b.changed - a.changed || a.unit.localeCompare(b.unit));
}

/** Those whose reward moved furthest first, then those whose advantage did, then those that train no more. */
export function mostChanged(examples: readonly ChangedAttempt[]): ChangedAttempt[] {
  const size = (one: ChangedAttempt, of: 'reward' | 'advantage'): number => Math.abs(differenceOf(one, of)[0] ?? 0);
  const isMoved = ({ before, after }: ChangedAttempt): number => (before?.disposition === after?.disposition ? 0 : 1);
  return [...examples].sort(
    (a, b) =>
      size(b, 'reward') - size(a, 'reward') || size(b, 'advantage') - size(a, 'advantage') || isMoved(b) - isMoved(a),
  );
}

/** After minus before, where there are both. */
function differenceOf({ before, after }: ChangedAttempt, of: 'reward' | 'advantage'): number[] {
  const [was, is] = [before?.[of] ?? null, after?.[of] ?? null];
  return was === null || is === null ? [] : [is - was];
}
