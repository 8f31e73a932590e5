import type { TrainedRow } from './trained-row.ts';

/** What a trajectory is blamed by: none, one or several keys. */
export type KeysOf = (row: TrainedRow) => readonly string[];

/** A key's part in a step, and in the steps before it. */
export interface BlamedKey {
  readonly key: string;
  /** Of this step. */
  readonly trajectories: number;
  /** Those of them that have no weight: in no share. */
  readonly without_weight: number;
  /** Σ |advantage| × loss tokens. */
  readonly weight: number;
  /** Of the weight of the step; null: the step has none. */
  readonly share: number | null;
  /** Mean of its share in each step before, 0 where it was not there; null: no step before has a weight. */
  readonly share_before: number | null;
  /** share − share_before; null where one of them is. */
  readonly difference: number | null;
}

export const BLAMED_BY: Readonly<Record<'reason' | 'finding' | 'lag' | 'task', KeysOf>> = {
  reason: ({ reason }) => [reason === '' ? 'unknown' : reason],
  finding: ({ classes, is_audited: isAudited }) => {
    if (classes.length > 0) return classes;
    return [isAudited ? 'none' : 'not_auditable'];
  },
  lag: ({ lag }) => [lag === null ? 'unknown' : String(lag)],
  task: ({ env_name: env, task_id: task }) => [`${env}/${task}`],
};

/**
 * The keys of a step, and those that only the steps before had, the largest difference first. A trajectory of two keys counts in
 * both: shares by finding may sum to more than 1.
 */
export function compareShares(
  now: readonly TrainedRow[],
  before: ReadonlyArray<readonly TrainedRow[]>,
  keysOf: KeysOf,
): BlamedKey[] {
  const sums = sumsOf(now, keysOf);
  const whole = weightOf(now);
  const sumsBefore = before.map((rows) => ({ sums: sumsOf(rows, keysOf), whole: weightOf(rows) }));
  const compared = sumsBefore.filter((one) => one.whole > 0);
  const keys = new Set([sums, ...sumsBefore.map((one) => one.sums)].flatMap((one) => [...one.keys()]));
  const blamed = [...keys].map((key): BlamedKey => {
    const { trajectories, without_weight, weight } = sums.get(key) ?? NOTHING;
    const share = whole === 0 ? null : weight / whole;
    const shareBefore = meanOf(compared.map((one) => (one.sums.get(key)?.weight ?? 0) / one.whole));
    const difference = share === null || shareBefore === null ? null : share - shareBefore;
    return { key, trajectories, without_weight, weight, share, share_before: shareBefore, difference };
  });
  const sizeOf = ({ difference }: BlamedKey): number => Math.abs(difference ?? 0);
  return blamed.sort((a, b) => sizeOf(b) - sizeOf(a) || b.weight - a.weight || compareKeys(a.key, b.key));
}

export function weightOf(rows: readonly TrainedRow[]): number {
  return rows.reduce((sum, { weight }) => sum + (weight ?? 0), 0);
}

type KeySums = Pick<BlamedKey, 'trajectories' | 'without_weight' | 'weight'>;
const NOTHING: KeySums = { trajectories: 0, without_weight: 0, weight: 0 };

function sumsOf(rows: readonly TrainedRow[], keysOf: KeysOf): Map<string, KeySums> {
  const sums = new Map<string, KeySums>();
  for (const row of rows)
    for (const key of keysOf(row)) {
      const { trajectories, without_weight, weight } = sums.get(key) ?? NOTHING;
      sums.set(key, {
        trajectories: trajectories + 1,
        without_weight: without_weight + (row.weight === null ? 1 : 0),
        weight: weight + (row.weight ?? 0),
      });
    }
  return sums;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
