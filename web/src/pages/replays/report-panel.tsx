import type { ReplayReport, ReplayStatus } from '../../../../src/rescore/replays.ts';
import { changeLines, emittedLines, headLines } from '../../../../src/rescore/report/report-lines.ts';
import type { Row } from '../../api/rows.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, decimal, percent } from '../../parts/format.ts';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { ChangedTables } from './changed-tables.tsx';
import { DiffMatrix } from './diff-matrix.tsx';
import { stateTone, stateWords } from './state-words.ts';
import { useReport } from './use-replays.ts';

/** What one replay changed, what it left out and why. */
export function ReportPanel({ status }: { readonly status: ReplayStatus }) {
  const { value, error, isLoading } = useReport(status);
  const row: Row = { ...status };
  return (
    <section class="card wide" aria-busy={isLoading && value === null}>
      <h2>
        Replay <UntrustedText text={status.replay_id} />
        {status.label === '' ? null : (
          <>
            {', '}
            <UntrustedText text={status.label} />
          </>
        )}{' '}
        <span class={`badge ${stateTone(row)}`}>{stateWords(row)}</span>
      </h2>
      {status.error === null ? null : (
        <p class="error">
          It ended by {status.error.code}: <UntrustedText text={status.error.message} />
        </p>
      )}
      {status.state === 'running' || status.state === 'emitting' ? (
        <p>
          {`So far ${count(status.units_done)} of ${count(status.units)} units, ${count(status.attempts)} attempts decided again, ${count(status.changed)} otherwise. Its report comes when it is done.`}
        </p>
      ) : null}
      {status.interrupted ? (
        <p class="warn">
          Nobody works on it any more: npx rollstream replay --resume <UntrustedText text={status.replay_id} />
        </p>
      ) : null}
      {error === null ? null : <ErrorNote error={error} what="The report" />}
      {value === null ? null : <Report report={value} />}
    </section>
  );
}

function Report({ report }: { readonly report: ReplayReport }) {
  const { diff, refused, status } = report;
  const { rewards } = diff;
  const change = rewards.both === 0 ? null : (rewards.sum_after - rewards.sum_before) / rewards.both;
  return (
    <>
      {headLines(report).map((line) => (
        <p key={line} class="line">
          <UntrustedText text={line} />
        </p>
      ))}
      <div class="tiles">
        <Tile value={count(diff.attempts)} name="decided in both" />
        <Tile
          value={`${count(diff.changed)} (${percent(diff.attempts === 0 ? null : diff.changed / diff.attempts, 0)})`}
          name="decided otherwise"
        />
        <Tile value={count(diff.vanished)} name="would not have been opened" />
        <Tile value={count(diff.appeared)} name="would have been opened" />
        <Tile value={decimal(change)} name="change of the mean reward" />
        <Tile value={count(diff.advantages.groups_moved)} name="groups with other advantages" />
        <Tile value={count(refused.reduce((sum, { n }) => sum + n, 0))} name="could not be scored again" />
      </div>
      <ul class="lines">
        {[...changeLines(report), ...emittedLines(report)].map((line) => (
          <li key={line}>
            <UntrustedText text={line} />
          </li>
        ))}
      </ul>
      <Matrices report={report} />
      {diff.examples.length === 0 ? null : (
        <ChangedTables
          replay={status.replay_id}
          examples={diff.examples}
          of={diff.changed + diff.vanished + diff.appeared}
        />
      )}
      {refused.length === 0 ? (
        <p class="faint">All of it could be scored again.</p>
      ) : (
        <Table
          caption="What could not be scored again, and why: it stays as it was"
          columns={[
            { name: 'reason' },
            { name: 'n', title: 'rollouts', isNumber: true },
            { name: 'detail', title: 'why' },
            { name: 'rollouts', title: 'such as', draw: (row) => <UntrustedText text={namesOf(row)} /> },
          ]}
          rows={refused.map((one): Row => ({ ...one }))}
        />
      )}
    </>
  );
}

function Matrices({ report: { diff } }: { readonly report: ReplayReport }) {
  const matrices = [
    ['Dispositions', diff.dispositions],
    ['Reasons', diff.reasons],
    ['Categories', diff.categories],
    ['Rewards', diff.rewards.matrix],
  ] as const;
  const isMoved = ([, cells]: (typeof matrices)[number]): boolean => cells.some(({ from, to }) => from !== to);
  const same = matrices.filter((matrix) => !isMoved(matrix)).map(([title]) => title.toLowerCase());
  return (
    <>
      <div class="matrices">
        {matrices.filter(isMoved).map(([title, cells]) => (
          <DiffMatrix key={title} title={title} cells={cells} />
        ))}
      </div>
      {same.length === 0 ? null : <p class="faint">As before: {same.join(', ')}.</p>}
    </>
  );
}

function Tile({ value, name }: { readonly value: string; readonly name: string }) {
  return (
    <div class="tile">
      <b>{value}</b>
      <span>{name}</span>
    </div>
  );
}

const NAMED = 5;

function namesOf(row: Row): string {
  const names = Array.isArray(row.rollouts) ? row.rollouts.map(String) : [];
  return names.length > NAMED ? `${names.slice(0, NAMED).join(', ')} …` : names.join(', ');
}
