import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { count, duration, percent } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { type Column, Table } from '../../parts/table.tsx';

interface SlowTablesProps {
  readonly run: string;
  readonly isShown: (row: Row) => boolean;
}

/** Tools and sandboxes: how long they take, and how often they fail. */
export function SlowTables({ run, isShown }: SlowTablesProps) {
  const whose: Column[] = [
    ...(run === '' ? [{ name: 'run_id', title: 'run' }] : []),
    { name: 'env_name', title: 'environment' },
  ];
  return (
    <>
      <Panel
        title="Sandboxes"
        note="How long they take to come and to go."
        source={named('sandbox_times', { run })}
        empty="No source tells of the set-up or the clean-up of a sandbox: they are phase events (docs/producers.md)."
      >
        {(rows) => (
          <Table
            caption="Set-up and clean-up"
            columns={[
              ...whose,
              { name: 'phase' },
              { name: 'count', isNumber: true, draw: (row) => count(numberOf(row, 'count')) },
              { name: 'failed', isNumber: true, draw: (row) => <Failed n={numberOf(row, 'failed')} /> },
              ...TIMES.filter(({ name }) => name !== 'sum_ms'),
            ]}
            rows={rows.filter(isShown)}
          />
        )}
      </Panel>
      <Panel
        title="Tools"
        note="Of each tool result, whatever became of its rollout; the name is of the rollout with the slowest call."
        source={named('slow_tools', { run })}
        empty="No rollout has called a tool."
        isWide
      >
        {(rows) => (
          <Table
            caption="Time and failures by tool"
            columns={[
              ...whose,
              { name: 'tool' },
              { name: 'calls', isNumber: true, draw: (row) => count(numberOf(row, 'calls')) },
              { name: 'errors', isNumber: true, draw: (row) => <Failed n={numberOf(row, 'errors')} /> },
              ...TIMES,
              {
                name: 'wait_share',
                title: 'of it waiting',
                isNumber: true,
                draw: (row) => percent(numberOf(row, 'wait_share')),
              },
              {
                name: 'example_rollout',
                title: 'slowest',
                draw: (row) => (
                  <RolloutLink run={textOf(row, 'run_id')} rollout={textOf(row, 'example_rollout')} attempt={null} />
                ),
              },
            ]}
            rows={rows.filter(isShown)}
          />
        )}
      </Panel>
    </>
  );
}

const TIMES: readonly Column[] = [
  ['sum_ms', 'all'],
  ['p50_ms', 'p50'],
  ['p95_ms', 'p95'],
  ['max_ms', 'longest'],
].map(([name = '', title = '']) => ({
  name,
  title,
  isNumber: true,
  draw: (row: Row) => duration(numberOf(row, name)),
}));

function Failed({ n }: { readonly n: number | null }) {
  return <span class={n !== null && n > 0 ? 'bad' : ''}>{count(n)}</span>;
}
