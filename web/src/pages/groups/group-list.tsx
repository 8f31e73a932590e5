import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { count, decimal } from '../../parts/format.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { isZeroVariance, STATES } from './group-book.ts';

interface GroupListProps {
  readonly run: string;
  readonly rows: readonly Row[];
  /** What else of the URL stays. */
  readonly params: Readonly<Record<string, string>>;
}

/** Groups, the worst first; a name opens it above. */
export function GroupList({ run, rows, params }: GroupListProps) {
  const columns: Column[] = [
    {
      name: 'group_id',
      title: 'group',
      draw: (row) => {
        const unit = textOf(row, 'unit');
        const href = hrefOf({ page: 'groups', params: { run, ...params, unit } });
        return (
          <a href={href} aria-current={params.unit === unit ? 'true' : undefined}>
            <UntrustedText text={textOf(row, 'group_id') || unit} />
          </a>
        );
      },
    },
    ...(run === '' ? [{ name: 'run_id', title: 'run' }] : []),
    { name: 'env_name', title: 'environment' },
    { name: 'task_id', title: 'task' },
    { name: 'state', draw: (row) => <State row={row} /> },
    {
      name: 'members',
      isNumber: true,
      draw: (row) => `${count(numberOf(row, 'members'))} of ${numberOf(row, 'expected') ?? '?'}`,
    },
    { name: 'in_loss', title: 'in the loss', isNumber: true, draw: (row) => count(numberOf(row, 'in_loss')) },
    {
      name: 'in_baseline',
      title: 'in the baseline',
      isNumber: true,
      draw: (row) => count(numberOf(row, 'in_baseline')),
    },
    { name: 'reward_mean', title: 'mean reward', isNumber: true, draw: (row) => decimal(numberOf(row, 'reward_mean')) },
    { name: 'reward_std', title: 'std', isNumber: true, draw: (row) => decimal(numberOf(row, 'reward_std')) },
    { name: 'first_ready_at', title: 'first ready', draw: (row) => textOf(row, 'first_ready_at').slice(0, 19) || '–' },
  ];
  return (
    <Table
      caption={`${count(rows.length)} ${rows.length === 1 ? 'group' : 'groups'}, the worst first`}
      columns={columns}
      rows={rows}
    />
  );
}

function State({ row }: { readonly row: Row }) {
  const state = textOf(row, 'state');
  const tone = state === 'complete' ? 'good' : state === 'rejected' ? 'bad' : 'warn';
  return (
    <>
      <span class={`badge ${tone}`} title={STATES[state] ?? ''}>
        {state}
      </span>{' '}
      {isZeroVariance(row) ? (
        <span class="badge warn" title={STATES.zero_variance}>
          zero variance
        </span>
      ) : null}
    </>
  );
}
