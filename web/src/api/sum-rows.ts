import { numberOf, type Row, textOf } from './row.ts';

export interface Sum {
  readonly name: string;
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Rows by what one of their columns says, or `by` them, the largest total first. */
export function summed(rows: readonly Row[], by: string | ((row: Row) => string), counted = 'attempts'): Sum[] {
  const sums = new Map<string, { total: number; rows: Row[] }>();
  for (const row of rows) {
    const name = typeof by === 'string' ? textOf(row, by) : by(row);
    const sum = sums.get(name) ?? { total: 0, rows: [] };
    sum.total += numberOf(row, counted) ?? 0;
    sum.rows.push(row);
    sums.set(name, sum);
  }
  return [...sums]
    .map(([name, sum]) => ({ name, ...sum }))
    .sort((a, b) => b.total - a.total || a.name.localeCompare(b.name));
}

export function totalOf(rows: readonly Row[], counted = 'attempts'): number {
  return rows.reduce((sum, row) => sum + (numberOf(row, counted) ?? 0), 0);
}
