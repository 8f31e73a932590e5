import { useState } from 'preact/hooks';
import { numberOf, type Row, statement, textOf, useRows } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { Panel } from '../../parts/panel.tsx';
import { PlaceSelect } from '../../parts/place-select.tsx';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { type Column, Table, Value } from '../../parts/table.tsx';
import { goWith } from '../../state/place.ts';
import choicesSql from './choices.sql?raw';
import rolloutsSql from './rollouts.sql?raw';

/** Rollouts to choose from: those that do not train first, the newest first. */
export function RolloutList({ run, params }: PageProps) {
  const { search = '', became = '', reason = '', env = '', task = '' } = params;
  const [wanted, setWanted] = useState(search);
  const { value: choices } = useRows(statement(choicesSql, { run }));
  const among = (name: string): string[] =>
    [...new Set((choices ?? []).map((row) => textOf(row, name)))].filter((one) => one !== '').sort();
  return (
    <>
      <h1>Rollouts</h1>
      <form
        class="choices"
        onSubmit={(event) => {
          event.preventDefault();
          goWith({ search: wanted.trim() });
        }}
      >
        <label class="choice">
          id or task
          <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        </label>
        <button type="submit">search</button>
        <button type="button" disabled={wanted.trim() === ''} onClick={() => goWith({ id: wanted.trim() })}>
          open this id
        </button>
        <PlaceSelect label="became" param="became" value={became} options={among('disposition')} all="anything" />
        <PlaceSelect label="reason" param="reason" value={reason} options={among('reason')} all="any" />
        <PlaceSelect label="environment" param="env" value={env} options={among('env_name')} all="any" />
        {task === '' ? null : <PlaceSelect label="task" param="task" value={task} options={[task]} all="any" />}
      </form>
      <Panel
        title="rollouts, those that do not train first"
        source={statement(rolloutsSql, { run, search, became, reason, env, task })}
        empty="No decided rollout is like this. Fewer filters show more; if nothing was decided yet: npx rollstream import PATH"
        isWide
      >
        {(rows) => (
          <Table
            caption={`${rows.length} attempts${rows.length === 300 ? ', the first 300' : ''}`}
            columns={COLUMNS}
            rows={rows}
          />
        )}
      </Panel>
    </>
  );
}

const COLUMNS: readonly Column[] = [
  {
    name: 'rollout_id',
    title: 'rollout',
    draw: (row) => (
      <RolloutLink
        run={textOf(row, 'run_id')}
        rollout={textOf(row, 'rollout_id')}
        attempt={numberOf(row, 'attempt')}
        epoch={textOf(row, 'epoch')}
      />
    ),
  },
  { name: 'run_id', title: 'run' },
  {
    name: 'disposition',
    title: 'became',
    draw: (row) => <span class={`badge ${toneOf(row)}`}>{textOf(row, 'disposition')}</span>,
  },
  { name: 'reason' },
  {
    name: 'found',
    title: 'findings',
    draw: ({ found }) => <Value value={Array.isArray(found) && found.length > 0 ? found.join(', ') : null} />,
  },
  { name: 'verifier_status', title: 'verifier' },
  { name: 'reward', isNumber: true },
  { name: 'n_turns', title: 'turns', isNumber: true },
  { name: 'n_tokens', title: 'tokens', isNumber: true },
  { name: 'env_name', title: 'environment' },
  { name: 'task_id', title: 'task' },
];

function toneOf(row: Row): string {
  const disposition = textOf(row, 'disposition');
  if (disposition === 'train' || disposition === 'penalise') return 'good';
  return disposition === 'quarantine' || disposition === 'drop' ? 'bad' : 'warn';
}
