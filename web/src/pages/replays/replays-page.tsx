import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { count, decimal, percent } from '../../parts/format.ts';
import { InView } from '../../parts/in-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { ReplayList } from './replay-list.tsx';
import './replays.css';
import { ReportPanel } from './report-panel.tsx';
import { useReplays } from './use-replays.ts';

/** Replays, how far they are, and what each changed. */
export function ReplaysPage({ run, params }: PageProps) {
  const picked = params.replay ?? '';
  const { value, error, isLoading } = useReplays();
  const known = value?.replays ?? [];
  const shown = known.filter(({ replay_id }) => isOf(value?.asked.get(replay_id), run));
  const one = known.find(({ replay_id }) => replay_id === picked);
  return (
    <>
      <h1>Replays</h1>
      <div class="cards">
        {picked === '' ? null : one !== undefined ? (
          <InView of={picked}>
            <ReportPanel status={one} />
          </InView>
        ) : value === null ? null : (
          <section class="card wide">
            <p class="empty">
              No replay has the name <UntrustedText text={picked} />.
            </p>
          </section>
        )}
        <section class="card wide" aria-busy={value === null && isLoading}>
          <h2>All replays</h2>
          {error === null ? null : <ErrorNote error={error} what="The replays" />}
          {value === null ? null : shown.length === 0 ? (
            <p class="empty">
              {`Nothing${run === '' ? '' : ' of this run'} was scored again yet. What would another policy change? npx rollstream replay --run ${run === '' ? 'RUN' : run} --policy strict`}
            </p>
          ) : (
            <ReplayList run={run} picked={picked} replays={shown} asked={value.asked} />
          )}
        </section>
        <Panel
          title="Score versions"
          note="What was decided live, and by each replay whose scores were kept (--save); each version is a whole."
          source={named('score_versions', { run })}
          empty="No rollout was decided yet: npx rollstream import PATH"
          isWide
        >
          {(rows) => <Versions rows={rows} run={run} />}
        </Panel>
      </div>
    </>
  );
}

/** Of the run, or of all; where nobody knows of which it is shown. */
function isOf(asked: Row | undefined, run: string): boolean {
  const runs = asked?.runs;
  return run === '' || !Array.isArray(runs) || runs.length === 0 || runs.includes(run);
}

function Versions({ rows, run }: { readonly rows: readonly Row[]; readonly run: string }) {
  const counted = (name: string, title = name): Column => ({
    name,
    title,
    isNumber: true,
    draw: (row) => count(numberOf(row, name)),
  });
  return (
    <Table
      caption="Scores of each version"
      columns={[
        ...(run === '' ? [{ name: 'run_id', title: 'run' }] : []),
        { name: 'version', draw: (row) => <Version row={row} run={run} /> },
        counted('attempts'),
        counted('ready', 'would train'),
        counted('scored', 'with a reward'),
        {
          name: 'mean_reward',
          title: 'mean reward',
          isNumber: true,
          draw: (row) => decimal(numberOf(row, 'mean_reward')),
        },
        counted('changed'),
        {
          name: 'changed_share',
          title: 'share',
          isNumber: true,
          draw: (row) => percent(numberOf(row, 'changed_share')),
        },
        {
          name: 'scorers',
          draw: (row) => <UntrustedText text={Array.isArray(row.scorers) ? row.scorers.join(', ') : ''} />,
        },
      ]}
      rows={rows}
    />
  );
}

function Version({ row, run }: { readonly row: Row; readonly run: string }) {
  const version = textOf(row, 'version');
  if (version === 'live') return <b>live</b>;
  return (
    <a href={hrefOf({ page: 'replays', params: { run, replay: version } })}>
      <UntrustedText text={textOf(row, 'label') || version} />
    </a>
  );
}
