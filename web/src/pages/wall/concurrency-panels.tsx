import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { Chart } from '../../parts/chart.tsx';
import { Panel } from '../../parts/panel.tsx';

interface ConcurrencyPanelsProps {
  readonly run: string;
  readonly isShown: (row: Row) => boolean;
}

const NOBODY_TOLD =
  'No producer told how it was doing: recorders do (docs/producers.md), files that are imported do not.';

/** What workers say of themselves: how many at once are best, and what they block on. */
export function ConcurrencyPanels({ run, isShown }: ConcurrencyPanelsProps) {
  return (
    <>
      <Panel
        title="Best concurrency"
        note="Rollouts an hour of one worker, by how many it had in flight."
        source={named('best_concurrency', { run })}
        empty={NOBODY_TOLD}
      >
        {(rows) => {
          const shown = rows.filter(isShown);
          const levels = [...new Set(shown.map((row) => numberOf(row, 'from_in_flight') ?? 0))].sort((a, b) => a - b);
          const names = [...new Set(shown.map((row) => nameOf(row, run)))];
          return (
            <Chart
              kind="line"
              label="Rollouts an hour by rollouts in flight"
              labels={levels.map((level) => (level === 1 ? '1' : `${level} to ${2 * level - 1}`))}
              series={names.map((name) => ({
                name,
                values: levels.map((level) =>
                  numberOf(
                    shown.find((row) => nameOf(row, run) === name && numberOf(row, 'from_in_flight') === level),
                    'per_hour',
                  ),
                ),
              }))}
              unit="an hour"
            />
          );
        }}
      </Panel>
      <Panel
        title="Layers that block"
        note="Shares of the wall clock of rollouts, by the worker's own clock, in %; parallel calls count each."
        source={named('blocking_layers', { run })}
        empty={NOBODY_TOLD}
      >
        {(rows) => {
          const shown = rows.filter(isShown);
          return (
            <Chart
              kind="bar"
              label="Shares of the wall clock by layer and worker"
              labels={shown.map((row) =>
                [nameOf(row, run), textOf(row, 'actor')].filter((part) => part !== '').join(' · '),
              )}
              series={LAYERS.map(([name, phase]) => ({
                name: phase,
                values: shown.map((row) => {
                  const share = numberOf(row, name);
                  return share === null ? null : share * 100;
                }),
              }))}
              isHorizontal
              isStacked
              unit="%"
            />
          );
        }}
      </Panel>
    </>
  );
}

function nameOf(row: Row, run: string): string {
  return run === '' ? `${textOf(row, 'run_id')} · ${textOf(row, 'env_name')}` : textOf(row, 'env_name');
}

const LAYERS = [
  ['model_share', 'model'],
  ['tools_share', 'tool_wait'],
  ['sandbox_share', 'sandbox_setup'],
  ['rate_limit_share', 'rate_limit'],
  ['other_share', 'other'],
] as const;
