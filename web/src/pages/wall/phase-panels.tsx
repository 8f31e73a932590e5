import { named, type Row } from '../../api/rows.ts';
import { Chart } from '../../parts/chart.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlaceSelect } from '../../parts/place-select.tsx';
import { MEASURES, type Measure, phasesByEnvironment, phasesOverTime } from './phase-series.ts';

const NO_TIMES = 'No rollout with times was decided yet: npx rollstream import PATH, of a source that keeps them.';

interface PhasePanelsProps {
  readonly run: string;
  readonly by: string;
  readonly isShown: (row: Row) => boolean;
}

/** Where the time of rollouts goes, by environment and over time. */
export function PhasePanels({ run, by, isShown }: PhasePanelsProps) {
  const measure = MEASURES.find((name) => name === by) ?? 'share';
  return (
    <>
      <Panel
        title="Phases by environment"
        note={NOTES[measure]}
        source={named('phases', { run })}
        empty={NO_TIMES}
        isWide
      >
        {(rows) => {
          const { labels, series, unit } = phasesByEnvironment(rows.filter(isShown), measure, run === '');
          return (
            <>
              <div class="choices">
                <PlaceSelect label="measure" param="by" value={measure} options={MEASURES} />
              </div>
              {labels.length === 0 ? (
                <p class="empty">Its sources give durations alone: there is no wall clock to have a share of.</p>
              ) : (
                <Chart
                  kind="bar"
                  label={`Phases of rollouts by environment, ${measure}`}
                  labels={labels}
                  series={series}
                  isHorizontal
                  isStacked={measure === 'share' || measure === 'sum'}
                  unit={unit}
                />
              )}
            </>
          );
        }}
      </Panel>
      <Panel
        title="Phases over time"
        note="Seconds that rollouts spent on each phase, by the hour of their end; all environments."
        source={named('phases_over_time', { run })}
        empty={NO_TIMES}
      >
        {(rows) => {
          const { labels, series, unit } = phasesOverTime(rows);
          return (
            <Chart
              kind="bar"
              label="Phases of rollouts by hour, seconds"
              labels={labels}
              series={series}
              isStacked
              unit={unit}
            />
          );
        }}
      </Panel>
    </>
  );
}

const NOTES: Readonly<Record<Measure, string>> = {
  share:
    'Share of the wall clock of rollouts, start to end, in %. What follows the end has none: pick another measure.',
  sum: 'Seconds of all rollouts together.',
  p50: 'Seconds of the median rollout that spent any on it.',
  p95: 'Seconds that 95 % of the rollouts that spent any stay below.',
};
