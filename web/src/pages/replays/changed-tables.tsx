import type { ChangedAttempt } from '../../../../processors/replay/diff-tally.ts';
import { changeWords } from '../../../../src/rescore/report/change-words.ts';
import { type Row, textOf } from '../../api/rows.ts';
import { count, decimal } from '../../parts/format.ts';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { changedByGroup, mostChanged } from './by-group.ts';
import { runOfUnit } from './run-of-unit.ts';

const LISTED = 200;

/** What changed by group and by rollout, of those that the report names. */
export function ChangedTables({
  replay,
  examples,
  of,
}: {
  readonly replay: string;
  readonly examples: readonly ChangedAttempt[];
  readonly of: number;
}) {
  const part = examples.length < of ? `, of the first ${count(examples.length)} of ${count(of)} that changed` : '';
  const rollouts = mostChanged(examples)
    .slice(0, LISTED)
    .map((one): Row => ({ ...changeWords(one), one }));
  return (
    <>
      <Table caption={`By group${part}`} columns={GROUP_COLUMNS} rows={changedByGroup(examples)} />
      <Table
        caption={`Rollouts that changed most${part}`}
        columns={[
          { name: 'rollout', draw: (row) => <Changed row={row} replay={replay} examples={examples} /> },
          { name: 'reason' },
          { name: 'disposition' },
          { name: 'reward' },
          { name: 'advantage' },
        ]}
        rows={rollouts}
      />
    </>
  );
}

function Changed({
  row,
  replay,
  examples,
}: {
  readonly row: Row;
  readonly replay: string;
  readonly examples: readonly ChangedAttempt[];
}) {
  const one = examples.find((example) => example === row.one);
  if (one === undefined) return <UntrustedText text={textOf(row, 'rollout')} />;
  return (
    <RolloutLink
      run={runOfUnit(one.unit)}
      rollout={one.rollout_id}
      attempt={one.attempt}
      at={{ view: 'diff', replay }}
    />
  );
}

const GROUP_COLUMNS: readonly Column[] = [
  {
    name: 'unit',
    title: 'group',
    draw: (row) => {
      const unit = textOf(row, 'unit');
      return (
        <a href={hrefOf({ page: 'groups', params: { run: runOfUnit(unit), unit } })}>
          <UntrustedText text={unit} />
        </a>
      );
    },
  },
  { name: 'changed', title: 'changed', isNumber: true },
  { name: 'trained_before', title: 'trained before', isNumber: true },
  { name: 'trained_after', title: 'after', isNumber: true },
  change('mean_reward_change', 'mean reward change'),
  change('largest_advantage_change', 'largest change of an advantage'),
];

function change(name: string, title: string): Column {
  return {
    name,
    title,
    isNumber: true,
    draw: (row) => decimal(typeof row[name] === 'number' ? row[name] : null),
  };
}
