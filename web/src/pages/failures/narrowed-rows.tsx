import type { ComponentChildren } from 'preact';
import type { Row } from '../../api/rows.ts';
import { FILTERS, type Filters, narrowed, untoldFilters } from './filters.ts';

/** What matches the filters, drawn; says which of them could not be looked at, and what to do where nothing matches. */
export function NarrowedRows({
  rows,
  filters,
  children,
}: {
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const matching = narrowed(rows, filters);
  const untold = untoldFilters(rows, filters);
  return (
    <>
      {untold.length === 0 ? null : (
        <p class="note not-narrowed">Not narrowed by {untold.map((name) => FILTERS[name]).join(', ')}.</p>
      )}
      {matching.length === 0 ? <p class="empty">Nothing here matches what is picked.</p> : children(matching)}
    </>
  );
}
