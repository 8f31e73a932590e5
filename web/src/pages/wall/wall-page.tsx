import { named, type Row, statement, textOf, useRows } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { InView } from '../../parts/in-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlaceSelect } from '../../parts/place-select.tsx';
import { BottleneckPanel } from './bottleneck-panel.tsx';
import { ConcurrencyPanels } from './concurrency-panels.tsx';
import { GanttPanel } from './gantt-panel.tsx';
import { PhasePanels } from './phase-panels.tsx';
import { SlowTables } from './slow-tables.tsx';
import slowestSql from './slowest.sql?raw';
import { SlowestList } from './slowest-list.tsx';
import { WaitPanels } from './wait-panels.tsx';
import './wall.css';

/** Where wall clock goes: of all rollouts, of one, and between rollouts and the trainer. */
export function WallPage({ run, params }: PageProps) {
  const { env = '', rollout = '', attempt = '0' } = params;
  const phases = useRows(named('phases', { run })).value ?? [];
  const isShown = (row: Row): boolean => env === '' || textOf(row, 'env_name') === env;
  return (
    <>
      <h1>Wall clock</h1>
      <div class="choices">
        <PlaceSelect
          label="environment"
          param="env"
          value={env}
          options={[...new Set(phases.map((row) => textOf(row, 'env_name')))].sort()}
          all="all environments"
        />
      </div>
      <div class="cards">
        <BottleneckPanel run={run} isShown={isShown} />
        {rollout === '' ? null : (
          <InView of={`${rollout} ${attempt}`}>
            <GanttPanel run={run} rollout={rollout} attempt={Number(attempt) || 0} params={params} />
          </InView>
        )}
        <Panel
          title="Slowest rollouts"
          note="Pick one to see it on the clock."
          source={statement(slowestSql, { run, env })}
          empty="No rollout with times was decided yet: npx rollstream import PATH, of a source that keeps them."
          isWide
        >
          {(rows) => <SlowestList rows={rows} params={params} />}
        </Panel>
        <PhasePanels run={run} by={params.by ?? ''} isShown={isShown} />
        <SlowTables run={run} isShown={isShown} />
        <ConcurrencyPanels run={run} isShown={isShown} />
        <WaitPanels run={run} />
      </div>
    </>
  );
}
