import { numberOf, statement, textOf } from '../../api/rows.ts';
import { count } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { goWith } from '../../state/place.ts';
import whyNotAuditable from './why-not-auditable.sql?raw';

/** What the audits would have needed. */
export function WhyNotAuditable({ run, audit }: { readonly run: string; readonly audit: string }) {
  return (
    <Panel
      title="Why not auditable"
      note="What an audit lacked where it could not look. Deferred: it was sampled, and looks later; then it stands in the results."
      source={statement(whyNotAuditable, { run, audit })}
      empty="Each audit could look at all that was decided."
      isWide={run === ''}
    >
      {(rows) => (
        <Table
          caption={`What audits lacked: ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`}
          columns={run === '' ? [{ name: 'run_id', title: 'run' }, ...COLUMNS] : COLUMNS}
          rows={rows}
        />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column[] = [
  {
    name: 'audit',
    draw: (row) => (
      <button type="button" class="plain" onClick={() => goWith({ audit: textOf(row, 'audit'), class: null })}>
        {textOf(row, 'audit')}
      </button>
    ),
  },
  { name: 'lacks', title: 'lacked' },
  { name: 'attempts', isNumber: true, draw: (row) => count(numberOf(row, 'attempts')) },
  {
    name: 'example_rollout',
    title: 'such as',
    draw: (row) => (
      <RolloutLink
        run={textOf(row, 'run_id')}
        rollout={textOf(row, 'example_rollout')}
        attempt={numberOf(row, 'example_attempt') ?? 0}
      />
    ),
  },
];
