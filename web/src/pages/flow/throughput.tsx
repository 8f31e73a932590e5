import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { totalOf } from '../../api/sum-rows.ts';
import { Chart } from '../../parts/chart.tsx';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { goWith, hrefOf } from '../../state/place.ts';
import { REFRESH_MS } from './use-flow.ts';

/** Colours are those of the picture. */
const BOOKS = [
  ['ready', '#2f9e62'],
  ['rejected', '#dc4a3d'],
  ['open', '#d97706'],
  ['superseded', '#8a8f98'],
  ['lost', '#5b6270'],
] as const;

/** Attempts by the hour that they started in, and what has become of them. */
export function Throughput({ run }: { readonly run: string }) {
  return (
    <Panel
      title="Throughput"
      note="Attempts by the hour of their start in the clock of their source (UTC), and what has become of them by now."
      source={named('flow', { run })}
      empty="No attempt has started yet."
      refreshMs={REFRESH_MS}
      isWide
    >
      {(rows) => <Hours run={run} rows={rows} />}
    </Panel>
  );
}

function Hours({ run, rows }: { readonly run: string; readonly rows: readonly Row[] }) {
  const hours = [...new Set(rows.map((row) => textOf(row, 'hour')))].filter((hour) => hour !== '').sort();
  const timeless = rows.filter((row) => row.hour === null);
  const n = totalOf(timeless, 'started');
  return (
    <>
      {hours.length === 0 ? null : (
        <Chart
          kind="bar"
          label={`Attempts that started in each of ${hours.length} hours, by what became of them`}
          labels={hours.map((hour) => hour.slice(0, 16))}
          isStacked
          series={BOOKS.map(([book, colour]) => ({
            name: book,
            colour,
            values: hours.map((hour) => sumAt(rows, hour, book)),
          })).filter(({ values }) => values.some((value) => value !== 0))}
          onPick={(label, book) => goWith({ book, hour: `${label}:00`, state: null })}
        />
      )}
      {n === 0 ? null : (
        <p class="note">
          <a href={hrefOf({ page: 'flow', params: { run, book: 'started', hour: '(none)' } })}>
            {count(n)} {n === 1 ? 'attempt has' : 'attempts have'} no time
          </a>{' '}
          at the source, and {n === 1 ? 'is' : 'are'} not in the chart.
        </p>
      )}
    </>
  );
}

function sumAt(rows: readonly Row[], hour: string, book: string): number {
  return rows.filter((row) => row.hour === hour).reduce((sum, row) => sum + (numberOf(row, book) ?? 0), 0);
}
