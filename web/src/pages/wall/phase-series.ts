import { numberOf, type Row, textOf } from '../../api/row.ts';

/** One value a label; null: there is none. */
interface Series {
  readonly name: string;
  readonly values: ReadonlyArray<number | null>;
}

export const MEASURES = ['share', 'sum', 'p50', 'p95'] as const;
export type Measure = (typeof MEASURES)[number];

interface Drawn {
  readonly labels: string[];
  readonly series: Series[];
  readonly unit: string;
}

/** Phases by environment: the share of the wall clock in %, else seconds. What has no share (after the end) is left out of it. */
export function phasesByEnvironment(rows: readonly Row[], measure: Measure, withRun: boolean): Drawn {
  const labelOf = (row: Row): string =>
    withRun ? `${textOf(row, 'run_id')} · ${textOf(row, 'env_name')}` : textOf(row, 'env_name');
  const numberAt = (row: Row): number | null =>
    measure === 'share' ? times(numberOf(row, 'share'), 100) : times(numberOf(row, `${measure}_ms`), 0.001);
  const known = rows.filter((row) => numberAt(row) !== null);
  return { ...pivoted(known, labelOf, numberAt), unit: measure === 'share' ? '%' : 's' };
}

export const NO_TIME = 'no time';

/** Seconds that rollouts spent on each phase, by the hour of their end, over the runs that are shown. */
export function phasesOverTime(rows: readonly Row[]): Drawn {
  const labelOf = (row: Row): string => textOf(row, 'hour').slice(0, 16) || NO_TIME;
  const drawn = pivoted(rows, labelOf, (row) => times(numberOf(row, 'sum_ms'), 0.001));
  return { ...drawn, unit: 's' };
}

function pivoted(
  rows: readonly Row[],
  labelOf: (row: Row) => string,
  numberAt: (row: Row) => number | null,
): Omit<Drawn, 'unit'> {
  const labels = [...new Set(rows.map(labelOf))];
  const phases = [...new Set(rows.map((row) => textOf(row, 'phase')))];
  const series = phases.map((phase) => ({
    name: phase,
    values: labels.map((label) => {
      const own = rows.filter((row) => textOf(row, 'phase') === phase && labelOf(row) === label).map(numberAt);
      return own.length === 0 ? null : own.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    }),
  }));
  return { labels, series };
}

function times(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}
