import type { ReplayStatus } from '../../../../src/rescore/replays.ts';
import { type Row, textOf } from '../../api/rows.ts';
import { count, duration, percent } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { policyWords } from './policy-words.ts';
import { stateTone, stateWords } from './state-words.ts';

interface ReplayListProps {
  readonly run: string;
  readonly picked: string;
  readonly replays: readonly ReplayStatus[];
  /** What each was asked to do, by its id. */
  readonly asked: ReadonlyMap<string, Row>;
}

/** Replays, the newest first; a name opens its report. */
export function ReplayList({ run, picked, replays, asked }: ReplayListProps) {
  const rows: Row[] = replays.map((status) => ({
    ...status,
    policy: policyWords(asked.get(status.replay_id)),
    status,
  }));
  return (
    <Table
      caption={`${count(replays.length)} ${replays.length === 1 ? 'replay' : 'replays'}, the newest first`}
      columns={[
        {
          name: 'replay_id',
          title: 'replay',
          draw: (row) => {
            const id = textOf(row, 'replay_id');
            return (
              <a
                href={hrefOf({ page: 'replays', params: { run, replay: id } })}
                aria-current={id === picked ? 'true' : undefined}
              >
                <UntrustedText text={textOf(row, 'label') || id} />
              </a>
            );
          },
        },
        {
          name: 'runs',
          title: 'of',
          draw: (row) => <UntrustedText text={runsOf(asked.get(textOf(row, 'replay_id')))} />,
        },
        { name: 'policy' },
        { name: 'state', draw: (row) => <State row={row} /> },
        { name: 'saved', title: 'scores', draw: (row) => (row.saved === true ? 'kept' : 'a report only') },
        { name: 'attempts', title: 'attempts', isNumber: true },
        { name: 'changed', title: 'changed or gone', isNumber: true },
        { name: 'emitted', title: 'to the trainer', isNumber: true },
        {
          name: 'started_at',
          title: 'started',
          draw: (row) => textOf(row, 'started_at').slice(0, 19).replace('T', ' '),
        },
      ]}
      rows={rows}
    />
  );
}

function State({ row }: { readonly row: Row }) {
  const [units, done] = [Number(row.units), Number(row.units_done)];
  const isAtWork = row.state === 'running' || row.state === 'emitting';
  const eta = row.eta_s === null ? '' : `, ${duration(Number(row.eta_s) * 1_000)} left`;
  return (
    <>
      <span class={`badge ${stateTone(row)}`}>{stateWords(row)}</span>
      {isAtWork && units > 0 ? (
        <span class="faint">{` ${percent(done / units, 0)} of ${count(units)} units${eta}`}</span>
      ) : null}
    </>
  );
}

/** Empty: not known. */
function runsOf(asked: Row | undefined): string {
  const runs = asked?.runs;
  if (!Array.isArray(runs)) return '';
  return runs.length > 0 ? runs.join(', ') : 'all runs';
}
