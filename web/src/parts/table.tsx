import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Row } from '../api/rows.ts';
import { NOTHING } from './format.ts';
import { UntrustedText } from './untrusted-text.tsx';

export interface Column {
  readonly name: string;
  readonly title?: string;
  /** Left out: the value as it is, its text as a rollout's. */
  readonly draw?: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
}

const MOST_SHOWN = 500;

/** Rows, sorted by the column that is picked; more than 500 are not drawn, and it says so. */
export function Table({
  caption,
  columns,
  rows,
}: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}) {
  const [sort, setSort] = useState<{ readonly name: string; readonly isRising: boolean } | null>(null);
  const sorted =
    sort === null ? rows : [...rows].sort((a, b) => compared(a[sort.name], b[sort.name]) * (sort.isRising ? 1 : -1));
  const shown = sorted.slice(0, MOST_SHOWN);
  return (
    <section class="scroll" tabIndex={0} aria-label={caption}>
      <table>
        <caption>
          {caption}
          {rows.length > MOST_SHOWN ? ` (the first ${MOST_SHOWN} of ${rows.length})` : ''}
        </caption>
        <thead>
          <tr>
            {columns.map(({ name, title, isNumber }) => (
              <th
                key={name}
                scope="col"
                class={isNumber === true ? 'number' : ''}
                aria-sort={sort?.name === name ? (sort.isRising ? 'ascending' : 'descending') : 'none'}
              >
                <button
                  type="button"
                  onClick={() => setSort({ name, isRising: sort?.name === name ? !sort.isRising : isNumber !== true })}
                >
                  {title ?? name}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={index}>
              {columns.map(({ name, draw, isNumber }) => (
                <td key={name} class={isNumber === true ? 'number' : ''}>
                  {draw === undefined ? <Value value={row[name]} /> : draw(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Columns of rows that nobody has described: their own names. */
export function columnsOf(rows: readonly Row[]): Column[] {
  return Object.entries(rows[0] ?? {}).map(([name, value]) => ({ name, isNumber: typeof value === 'number' }));
}

/** A value of the store as text: null as a dash, lists as JSON. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="faint">{NOTHING}</span>;
  return <UntrustedText text={typeof value === 'object' ? JSON.stringify(value) : String(value)} />;
}

/** Nulls last; numbers by size, all else as text. */
function compared(a: unknown, b: unknown): number {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}
