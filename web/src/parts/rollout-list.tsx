import { numberOf, type Row, type Source, textOf } from '../api/rows.ts';
import { finishWord } from './finish-word.ts';
import { count, decimal } from './format.ts';
import { Panel } from './panel.tsx';
import { rolloutHref } from './rollout-link.tsx';
import { type Column, Table, Value } from './table.tsx';
import { UntrustedText } from './untrusted-text.tsx';

/**
 * Attempts, each with a link to its page. The rows of `source` have run_id, epoch, rollout_id, attempt; the other columns are drawn
 * where they have them; `of`: how many there are without the limit.
 */
export function RolloutList({
  title,
  note,
  source,
  empty,
  refreshMs,
}: {
  readonly title: string;
  readonly note?: string;
  readonly source: Source;
  readonly empty: string;
  readonly refreshMs?: number;
}) {
  const told = note === undefined || note === '' ? {} : { note };
  const refreshed = refreshMs === undefined ? {} : { refreshMs };
  return (
    <Panel title={title} {...told} {...refreshed} source={source} empty={empty} isWide>
      {(rows) => (
        <Table
          caption={`${count(rows.length)} of ${count(numberOf(rows[0], 'of'))} attempts, the newest first`}
          columns={columnsFor(rows[0] ?? {}, source.params.run ?? '')}
          rows={rows}
        />
      )}
    </Panel>
  );
}

/** Those that the rows have, what matters first; the run that is picked need not stand in each line. */
function columnsFor(row: Row, run: string | number): Column[] {
  return COLUMNS.filter(({ name }) => name in row && (name !== 'run_id' || run === ''));
}

function hrefOfRow(row: Row): string {
  return rolloutHref({
    run: textOf(row, 'run_id'),
    rollout: textOf(row, 'rollout_id'),
    epoch: textOf(row, 'epoch'),
    attempt: numberOf(row, 'attempt'),
  });
}

const COLUMNS: readonly Column[] = [
  {
    name: 'rollout_id',
    title: 'rollout',
    draw: (row) => (
      <a href={hrefOfRow(row)}>
        <UntrustedText text={textOf(row, 'rollout_id')} />
      </a>
    ),
  },
  { name: 'attempt', isNumber: true },
  { name: 'run_id', title: 'run' },
  { name: 'task_id', title: 'task' },
  { name: 'reason' },
  { name: 'disposition' },
  { name: 'state' },
  { name: 'reward', isNumber: true, draw: (row) => decimal(numberOf(row, 'reward')) },
  { name: 'reason_code', title: 'loop ended by' },
  {
    name: 'finish_reason',
    title: 'engine said last',
    draw: (row) => <Value value={row.finish_reason === null ? null : finishWord(textOf(row, 'finish_reason'))} />,
  },
  { name: 'verifier_status', title: 'verifier' },
  { name: 'n_turns', title: 'turns', isNumber: true, draw: (row) => count(numberOf(row, 'n_turns')) },
  {
    name: 'n_sampled_tokens',
    title: 'tokens',
    isNumber: true,
    draw: (row) => count(numberOf(row, 'n_sampled_tokens')),
  },
  { name: 'category' },
  { name: 'env_name', title: 'environment' },
  { name: 'started_at', title: 'started (UTC)', draw: (row) => moment(textOf(row, 'started_at')) },
  { name: 'ended_at', title: 'ended (UTC)', draw: (row) => moment(textOf(row, 'ended_at')) },
];

/** Without its fraction of a second. */
function moment(text: string): string {
  return text === '' ? '–' : text.slice(0, 19);
}
