import { named, type Row, textOf } from '../../api/rows.ts';
import { summed, totalOf } from '../../api/sum-rows.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { type Filters, failuresHref, NONE } from './filters.ts';
import { NarrowedRows } from './narrowed-rows.tsx';

const MOST_REASONS = 8;

/** Environments and models against reasons: each cell leads to its rollouts. */
export function ByPlace({
  run,
  filters,
  failures,
}: {
  readonly run: string;
  readonly filters: Filters;
  readonly failures: Loaded<Row[]>;
}) {
  return (
    <Panel
      title="By environment and model"
      note="Not trained, the most frequent reasons first."
      source={named('failures', { run })}
      loaded={failures}
      empty={run === '' ? 'No attempt failed.' : 'No attempt of this run failed.'}
      isWide
    >
      {(all) => (
        <NarrowedRows rows={all} filters={filters}>
          {(rows) => <Matrix run={run} filters={filters} rows={rows} />}
        </NarrowedRows>
      )}
    </Panel>
  );
}

function Matrix({
  run,
  filters,
  rows,
}: {
  readonly run: string;
  readonly filters: Filters;
  readonly rows: readonly Row[];
}) {
  const reasons = summed(rows, 'reason').map(({ name }) => name);
  const shown = reasons.slice(0, MOST_REASONS);
  const places = summed(rows, (row) => JSON.stringify([textOf(row, 'env_name') || NONE, textOf(row, 'model') || NONE]));
  const most = Math.max(...places.flatMap(({ rows: own }) => summed(own, 'reason').map(({ total }) => total)));
  return (
    <section class="scroll" tabIndex={0} aria-label="Failed attempts by environment, model and reason">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">environment</th>
            <th scope="col">model</th>
            {shown.map((reason) => (
              <th key={reason} scope="col" class="number">
                <UntrustedText text={reason} />
              </th>
            ))}
            {reasons.length > shown.length ? (
              <th scope="col" class="number">
                others
              </th>
            ) : null}
            <th scope="col" class="number">
              all
            </th>
          </tr>
        </thead>
        <tbody>
          {places.map(({ name, total, rows: own }) => {
            const [env = '', model = ''] = JSON.parse(name);
            const cell = (n: number, reason: string) => (
              <td
                key={reason}
                class="number"
                style={
                  n === 0 || reason === ''
                    ? {}
                    : { background: `color-mix(in srgb, var(--bad) ${8 + (n / most) * 22}%, transparent)` }
                }
              >
                {n === 0 ? (
                  <span class="faint">·</span>
                ) : (
                  <a href={failuresHref(run, { ...filters, env, model, ...(reason === '' ? {} : { reason }) })}>
                    {count(n)}
                  </a>
                )}
              </td>
            );
            const others = totalOf(own.filter((row) => !shown.includes(textOf(row, 'reason'))));
            return (
              <tr key={name}>
                <th scope="row">
                  <UntrustedText text={env} />
                </th>
                <td>
                  <UntrustedText text={model} />
                </td>
                {shown.map((reason) => cell(totalOf(own.filter((row) => textOf(row, 'reason') === reason)), reason))}
                {reasons.length > shown.length ? <td class="number">{count(others)}</td> : null}
                {cell(total, '')}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
