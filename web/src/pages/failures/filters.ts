import { type Row, textOf } from '../../api/rows.ts';
import { hrefOf } from '../../state/place.ts';
import { ownerOf } from './owner-of.ts';

/** What one may pick of failures; each stands in the URL under its name. `(none)`: attempts that have none of it. */
export const FILTERS = {
  outcome: 'outcome',
  reason: 'reason',
  owner: 'fault owner',
  env: 'environment',
  model: 'model',
  hour: 'hour (UTC)',
  task: 'task',
  code: 'loop ended by',
  whose: 'whose time-out',
  conflict: 'contradiction',
  raw: 'raw reason',
} as const;

export type FilterName = keyof typeof FILTERS;
export type Filters = Readonly<Record<FilterName, string>>;

export const NONE = '(none)';

export const OUTCOMES: Readonly<Record<string, string>> = {
  '': 'not trained',
  all: 'all but superseded',
  trained: 'trained',
  superseded: 'superseded',
};

export function filtersOf(params: Readonly<Record<string, string>>): Filters {
  const names = Object.keys(FILTERS) as FilterName[];
  return Object.fromEntries(names.map((name) => [name, params[name] ?? ''])) as Filters;
}

/** With some of them changed. */
export function failuresHref(run: string, filters: Partial<Filters>): string {
  return hrefOf({ page: 'failures', params: { run, ...filters } });
}

export function givenFilters(filters: Filters): FilterName[] {
  return (Object.keys(FILTERS) as FilterName[]).filter((name) => filters[name] !== '');
}

/** What a row says of a filter; null: it does not tell. */
const TOLD: Readonly<Partial<Record<FilterName, (row: Row) => string | null>>> = {
  reason: (row) => cell(row, 'reason'),
  env: (row) => cell(row, 'env_name'),
  task: (row) => cell(row, 'task_id'),
  code: (row) => cell(row, 'reason_code'),
  hour: (row) => cell(row, 'hour'),
  model: (row) => cell(row, 'model'),
  owner: (row) => cell(row, 'owner') ?? ('category' in row ? ownerOf(row) : null),
};

function cell(row: Row, name: string): string | null {
  if (!(name in row)) return null;
  const text = textOf(row, name);
  return text === '' ? NONE : text;
}

/** Rows that match what they can tell of. */
export function narrowed(rows: readonly Row[], filters: Filters): Row[] {
  return rows.filter((row) =>
    givenFilters(filters).every((name) => {
      const told = TOLD[name]?.(row) ?? null;
      return told === null || told === filters[name];
    }),
  );
}

/** Filters that such rows cannot tell of: a chart of them is not narrowed by these, and says so. */
export function untoldFilters(rows: readonly Row[], filters: Filters): FilterName[] {
  const [row] = rows;
  if (row === undefined) return [];
  return givenFilters(filters).filter((name) => name !== 'outcome' && (TOLD[name]?.(row) ?? null) === null);
}
