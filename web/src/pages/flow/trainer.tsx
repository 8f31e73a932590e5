import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { summed } from '../../api/sum-rows.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { Chart } from '../../parts/chart.tsx';
import { count, decimal, duration } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { REFRESH_MS } from './use-flow.ts';

const RUN: Column = { name: 'run_id', title: 'run' };

function inMs(name: string, title: string): Column {
  return { name, title, isNumber: true, draw: (row) => duration(numberOf(row, name)) };
}

function counted(name: string): Column {
  return { name, title: name.replaceAll('_', ' '), isNumber: true, draw: (row) => count(numberOf(row, name)) };
}

/** What trainers take, how long it lay, and how fast it goes. */
export function TrainerFeed({ run, feed }: { readonly run: string; readonly feed: Loaded<Row[]> }) {
  return (
    <Panel
      title="Trainer feed"
      note="States are as of now; rates are of the last 10 minutes before the last lease."
      source={named('trainer_feed', { run })}
      loaded={feed}
      empty="Nothing was ready for a trainer yet."
      isWide
    >
      {(rows) => <Table caption="What trainers took" columns={run === '' ? [RUN, ...FEED] : FEED} rows={rows} />}
    </Panel>
  );
}

const FEED: readonly Column[] = [
  { name: 'bottleneck', title: 'limited by', draw: (row) => textOf(row, 'bottleneck') || 'no lease yet' },
  counted('queued'),
  counted('leased'),
  counted('trained'),
  counted('expired'),
  inMs('oldest_queued_ms', 'oldest queued'),
  inMs('ready_to_taken_p50_ms', 'ready to taken, p50'),
  inMs('taken_to_acked_p50_ms', 'taken to trained, p50'),
  {
    name: 'trajectories_per_s',
    title: 'trajectories/s',
    isNumber: true,
    draw: (row) => decimal(numberOf(row, 'trajectories_per_s')),
  },
  { name: 'tokens_per_s', title: 'tokens/s', isNumber: true, draw: (row) => count(numberOf(row, 'tokens_per_s')) },
  { name: 'lag_mean', title: 'mean lag', isNumber: true, draw: (row) => decimal(numberOf(row, 'lag_mean')) },
  { name: 'last_lease_at', title: 'last lease (UTC)', draw: (row) => textOf(row, 'last_lease_at').slice(0, 19) || '–' },
];

/** Who has waited for whom, over the whole run. */
export function Waits({ run }: { readonly run: string }) {
  return (
    <Panel
      title="Waits"
      note="Over the whole run; of work in parallel each counts. A dash: there was none to measure."
      source={named('waits', { run })}
      empty="No attempt was decided yet."
      refreshMs={REFRESH_MS}
    >
      {(rows) => <Table caption="Who waits" columns={run === '' ? [RUN, ...WAITS] : WAITS} rows={rows} />}
    </Panel>
  );
}

const WAITS: readonly Column[] = [
  { name: 'who_waits', title: 'who waits', draw: (row) => textOf(row, 'who_waits') || 'no lease yet' },
  inMs('trainer_wait_ms', 'trainer waited'),
  inMs('trainer_busy_ms', 'trainer was busy'),
  inMs('ready_wait_ms', 'ready ones waited'),
  inMs('rollout_ms', 'rollouts took'),
];

/** How old the weights were that sampled what each step trained on. */
export function Staleness({ run }: { readonly run: string }) {
  return (
    <Panel
      title="Staleness at training"
      note="Trajectories of each step, by how many versions of the weights they were behind."
      source={named('staleness_at_train', { run })}
      empty="No step was trained yet: a trainer takes leases and acks them (docs/delivery.md)."
      refreshMs={REFRESH_MS}
    >
      {(rows) => {
        const steps = [...new Set(rows.map((row) => textOf(row, 'step')))].sort((a, b) => Number(a) - Number(b));
        const lags = summed(rows, 'lag', 'trajectories').sort((a, b) => orderOf(a.name) - orderOf(b.name));
        return (
          <Chart
            kind="bar"
            label={`Trajectories that ${steps.length} steps trained, by lag`}
            labels={steps.map((step) => step || 'no step')}
            isStacked
            series={lags.map(({ name, rows: own }) => ({
              name: name === '' ? 'lag unknown' : `lag ${name}`,
              values: steps.map((step) => {
                const at = own.filter((row) => textOf(row, 'step') === step);
                return at.length === 0 ? null : at.reduce((sum, row) => sum + (numberOf(row, 'trajectories') ?? 0), 0);
              }),
            }))}
          />
        );
      }}
    </Panel>
  );
}

/** Unknown last. */
function orderOf(lag: string): number {
  return lag === '' ? Number.POSITIVE_INFINITY : Number(lag);
}
