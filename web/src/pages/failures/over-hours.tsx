import { named, type Row, textOf } from '../../api/rows.ts';
import { summed, totalOf } from '../../api/sum-rows.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { Chart } from '../../parts/chart.tsx';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { plainText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { type Filters, failuresHref, NONE } from './filters.ts';
import { NarrowedRows } from './narrowed-rows.tsx';

const MOST_SERIES = 9;
const OTHERS = 'other reasons';

/** Failures by the hour of their end, stacked by reason; those without a time are counted beside it. */
export function OverHours({
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
      title="Over hours"
      note="Not trained, by the hour of their end in the clock of their source (UTC). A bar shows its rollouts."
      source={named('failures', { run })}
      loaded={failures}
      empty={run === '' ? 'No attempt failed.' : 'No attempt of this run failed.'}
      isWide
    >
      {(all) => (
        <NarrowedRows rows={all} filters={filters}>
          {(rows) => {
            const timeless = totalOf(rows.filter((row) => row.hour === null));
            const timed = rows.filter((row) => row.hour !== null);
            const hours = hoursBetween(timed.map((row) => textOf(row, 'hour')));
            const reasons = summed(timed, 'reason');
            const shown = reasons.slice(0, MOST_SERIES).map(({ name, rows: own }) => ({ name, own }));
            const rest = reasons.slice(MOST_SERIES).flatMap((sum) => sum.rows);
            if (rest.length > 0) shown.push({ name: OTHERS, own: rest });
            const names = new Map(shown.map(({ name }) => [plainText(name), name]));
            return (
              <>
                {hours.length === 0 ? null : (
                  <Chart
                    kind="bar"
                    label={`Failed attempts by hour and reason, ${hours.length} hours`}
                    labels={hours.map((hour) => hour.slice(0, 16))}
                    isStacked
                    series={shown.map(({ name, own }) => ({
                      name: plainText(name),
                      values: hours.map((hour) => totalOf(own.filter((row) => row.hour === hour)) || null),
                    }))}
                    onPick={(label, series) => {
                      const reason = names.get(series) ?? '';
                      goWith({ hour: `${label}:00`, reason: reason === OTHERS ? '' : reason });
                    }}
                  />
                )}
                {timeless === 0 ? null : (
                  <p class="note">
                    <a href={failuresHref(run, { ...filters, hour: NONE })}>
                      {count(timeless)} {timeless === 1 ? 'attempt has' : 'attempts have'} no time
                    </a>{' '}
                    at the source, and {timeless === 1 ? 'is' : 'are'} not in the chart.
                  </p>
                )}
              </>
            );
          }}
        </NarrowedRows>
      )}
    </Panel>
  );
}

const HOUR_MS = 3_600_000;
const MOST_EMPTY = 500;

/** All hours from the first to the last, so that a quiet one is seen; where it would be too many, those that are there. */
export function hoursBetween(hours: readonly string[]): string[] {
  const there = [...new Set(hours)].sort();
  const times = there.map((hour) => Date.parse(`${hour.replace(' ', 'T')}Z`));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  if (there.length < 2 || (last - first) / HOUR_MS > MOST_EMPTY) return there;
  const n = (last - first) / HOUR_MS + 1;
  return Array.from({ length: n }, (_, index) =>
    new Date(first + index * HOUR_MS).toISOString().slice(0, 19).replace('T', ' '),
  );
}
