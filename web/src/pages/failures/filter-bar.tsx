import { type Row, textOf } from '../../api/rows.ts';
import { plainText, UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { FILTERS, type FilterName, type Filters, failuresHref, givenFilters, NONE, OUTCOMES } from './filters.ts';
import { ownerOf } from './owner-of.ts';

/** Lists of what there is to pick, and what is picked as chips; both change the URL alone. */
export function FilterBar({
  run,
  filters,
  shares,
  failures,
}: {
  readonly run: string;
  readonly filters: Filters;
  readonly shares: readonly Row[];
  readonly failures: readonly Row[];
}) {
  const owners = distinct(shares.map(ownerOf));
  const lists: ReadonlyArray<readonly [FilterName, readonly string[]]> = [
    ['reason', distinct(shares.map((row) => textOf(row, 'reason')))],
    ['owner', owners],
    ['env', distinct(shares.map((row) => textOf(row, 'env_name')))],
    ['model', distinct(failures.map((row) => textOf(row, 'model')))],
    ['hour', distinct(failures.map((row) => textOf(row, 'hour')))],
  ];
  const given = givenFilters(filters);
  return (
    <section class="filters" aria-label="filters">
      <div class="picks">
        <label>
          {FILTERS.outcome}
          <select value={filters.outcome} onChange={(event) => goWith({ outcome: event.currentTarget.value })}>
            {Object.entries(OUTCOMES).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {lists.map(([name, values]) => (
          <label key={name}>
            {FILTERS[name]}
            <select value={filters[name]} onChange={(event) => goWith({ [name]: event.currentTarget.value })}>
              <option value="">any</option>
              {withPicked(values, filters[name]).map((value) => (
                <option key={value} value={value}>
                  {plainText(value)}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      {given.length === 0 ? null : (
        <ul class="chips" aria-label="picked">
          {given.map((name) => (
            <li key={name} class="chip">
              <span>
                {FILTERS[name]}: <UntrustedText text={shown(name, filters[name])} />
              </span>
              <a href={failuresHref(run, { ...filters, [name]: '' })} aria-label={`remove ${FILTERS[name]}`}>
                ×
              </a>
            </li>
          ))}
          <li>
            <a href={failuresHref(run, {})}>clear all</a>
          </li>
        </ul>
      )}
    </section>
  );
}

function shown(name: FilterName, value: string): string {
  return name === 'outcome' ? (OUTCOMES[value] ?? value) : value;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => (value === '' ? NONE : value)))].sort();
}

/** A picked value that no row has is still shown as picked. */
function withPicked(values: readonly string[], picked: string): readonly string[] {
  return picked === '' || values.includes(picked) ? values : [picked, ...values];
}
