import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { decimal, percent } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { type Filters, failuresHref, NONE } from './filters.ts';
import { NarrowedRows } from './narrowed-rows.tsx';

const LIMIT = 100;

/** Tasks by how sure it is that they fail often. */
export function WorstTasks({ run, filters }: { readonly run: string; readonly filters: Filters }) {
  return (
    <Panel
      title="Worst tasks"
      note="By the lower end of the 95 % interval of their failed share; a task shows its failed rollouts. Attempts that are not for training (purpose) are left out."
      source={named('worst_tasks', { run, limit: LIMIT })}
      empty="No rollout was decided yet: npx rollstream import PATH"
      isWide
    >
      {(all) => (
        <NarrowedRows rows={all} filters={filters}>
          {(rows) => (
            <Table
              caption={`${rows.length} tasks, the worst first`}
              columns={columnsFor(run, filters)}
              rows={run === '' ? [...rows].sort(worstFirst) : rows}
            />
          )}
        </NarrowedRows>
      )}
    </Panel>
  );
}

/** Of all runs: the query sorts within each. */
function worstFirst(a: Row, b: Row): number {
  return (numberOf(b, 'failed_low') ?? 0) - (numberOf(a, 'failed_low') ?? 0);
}

function columnsFor(run: string, filters: Filters): Column[] {
  const columns: Column[] = [
    {
      name: 'task_id',
      title: 'task',
      draw: (row) => {
        const [task, env] = [textOf(row, 'task_id') || NONE, textOf(row, 'env_name') || NONE];
        return (
          <a href={failuresHref(textOf(row, 'run_id'), { ...filters, env, task })}>
            <UntrustedText text={task} />
          </a>
        );
      },
    },
    { name: 'env_name', title: 'environment' },
    { name: 'failed', isNumber: true },
    { name: 'attempts', isNumber: true },
    { name: 'failed_share', title: 'share', isNumber: true, draw: (row) => percent(numberOf(row, 'failed_share')) },
    { name: 'by_reason', title: 'reasons', draw: (row) => <Reasons row={row} filters={filters} /> },
    { name: 'mean_reward', title: 'mean reward', isNumber: true, draw: (row) => decimal(numberOf(row, 'mean_reward')) },
    {
      name: 'example_rollout',
      title: 'last failed',
      draw: (row) => <Example run={textOf(row, 'run_id')} rollout={textOf(row, 'example_rollout')} />,
    },
  ];
  return run === '' ? [{ name: 'run_id', title: 'run' }, ...columns] : columns;
}

function Reasons({ row, filters }: { readonly row: Row; readonly filters: Filters }) {
  const [task, env] = [textOf(row, 'task_id') || NONE, textOf(row, 'env_name') || NONE];
  const counted: ReadonlyArray<readonly [string, number]> = Array.isArray(row.by_reason) ? row.by_reason : [];
  return (
    <span class="reasons">
      {counted.map(([reason, n]) => (
        <a key={reason} href={failuresHref(textOf(row, 'run_id'), { ...filters, env, task, reason })}>
          {n} <UntrustedText text={reason} />
        </a>
      ))}
    </span>
  );
}

/** A rollout that shows it. */
export function Example({ run, rollout }: { readonly run: string; readonly rollout: string }) {
  if (rollout === '') return <span class="faint">–</span>;
  return <RolloutLink run={run} rollout={rollout} attempt={null} />;
}
