import { numberOf, type Row, textOf } from '../../api/row.ts';

/** One value a label; null: there is none. */
interface Series {
  readonly name: string;
  readonly values: ReadonlyArray<number | null>;
}

/** How hours are called that the source does not tell. */
export const NO_TIME = 'no time';

/** Rates of each class by hour, over the runs that are shown: found of looked at; null where nothing was looked at. */
export function driftOverTime(rows: readonly Row[]): { readonly labels: string[]; readonly series: Series[] } {
  const labels = [...new Set(rows.map(hourOf))];
  labels.sort((a, b) => (a === NO_TIME ? 1 : b === NO_TIME ? -1 : a.localeCompare(b)));
  const names = [...new Set(rows.map(nameOf))].sort();
  const sums = new Map<string, { looked: number; found: number }>();
  for (const row of rows) {
    const key = JSON.stringify([nameOf(row), hourOf(row)]);
    const sum = sums.get(key) ?? { looked: 0, found: 0 };
    sum.looked += numberOf(row, 'attempts_looked') ?? 0;
    sum.found += numberOf(row, 'attempts_found') ?? 0;
    sums.set(key, sum);
  }
  const series = names.map((name) => ({
    name,
    values: labels.map((label) => {
      const sum = sums.get(JSON.stringify([name, label]));
      return sum === undefined || sum.looked === 0 ? null : (100 * sum.found) / sum.looked;
    }),
  }));
  return { labels, series };
}

function hourOf(row: Row): string {
  return textOf(row, 'hour').slice(0, 16) || NO_TIME;
}

function nameOf(row: Row): string {
  return `${textOf(row, 'audit')}: ${textOf(row, 'class')}`;
}
