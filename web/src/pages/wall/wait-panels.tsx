import lifetimeSql from '../../../../infra/clickhouse/queries/lifetime_wall.sql?raw';
import { named, numberOf, type Row, statement, textOf } from '../../api/rows.ts';
import { count, duration } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { stagesOf } from './stages-of.ts';

/** Who waits for whom, and where time goes after a rollout has ended. */
export function WaitPanels({ run }: { readonly run: string }) {
  const whose: Column[] = run === '' ? [{ name: 'run_id', title: 'run' }] : [];
  return (
    <>
      <Panel
        title="Trainer and rollouts"
        note="Over the whole run. A dash: nothing was there to measure."
        source={named('waits', { run })}
        empty="Nothing was decided or leased yet: npx rollstream import PATH, and a trainer that takes from it."
        isWide
      >
        {(rows) => (
          <>
            {run === '' ? null : <p class="sentence">{WHO[textOf(rows[0], 'who_waits')] ?? ''}</p>}
            <Table
              caption="Who waits for whom"
              columns={[
                ...whose,
                { name: 'who_waits', title: 'who waits', draw: (row) => textOf(row, 'who_waits') || 'no lease yet' },
                ...WAITS.map(([name, title]) => durationOf(name, title)),
              ]}
              rows={rows}
            />
          </>
        )}
      </Panel>
      <Panel
        title="From start to trained"
        note="Each stage of the life of a rollout, over those that have it. Between a rollout's end and its decision the clocks of source and log are compared."
        source={statement(stagesOf(lifetimeSql), { run })}
        empty="No rollout was decided yet: npx rollstream import PATH"
        isWide
      >
        {(rows) => (
          <Table
            caption="Stages"
            columns={[
              ...whose,
              { name: 'stage', draw: (row) => STAGES[textOf(row, 'stage')] ?? textOf(row, 'stage') },
              { name: 'attempts', isNumber: true, draw: (row) => count(numberOf(row, 'attempts')) },
              durationOf('p50_ms', 'p50'),
              durationOf('p95_ms', 'p95'),
            ]}
            rows={rows}
          />
        )}
      </Panel>
    </>
  );
}

function durationOf(name: string, title: string): Column {
  return { name, title, isNumber: true, draw: (row: Row) => duration(numberOf(row, name)) };
}

const WHO: Readonly<Record<string, string>> = {
  trainer: 'The trainer waits for rollouts: more of them at once, or faster ones, would be trained.',
  rollouts: 'Rollouts wait for the trainer: more of them would only grow stale.',
  balanced: 'Trainer and rollouts keep pace.',
  '': 'No trainer has taken a lease yet, so nobody waits for anybody.',
};

const WAITS = [
  ['trainer_wait_ms', 'trainer waited'],
  ['trainer_busy_ms', 'trainer was busy'],
  ['ready_wait_ms', 'trajectories lay ready'],
  ['rollout_ms', 'rollouts took'],
] as const;

const STAGES: Readonly<Record<string, string>> = {
  rollout_ms: 'rollout, start to end',
  verify_ms: 'verifying',
  cleanup_ms: 'clean-up',
  decided_after_ms: 'end to decision',
  held_ms: 'held by the gate',
  taken_after_ms: 'ready until taken',
  trainer_wait_ms: 'ready until trained',
};
