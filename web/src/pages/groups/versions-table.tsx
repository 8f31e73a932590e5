import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { decimal } from '../../parts/format.ts';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';

/** The members as each replay decided them, beside what was decided live. */
export function VersionsTable({ run, rows }: { readonly run: string; readonly rows: readonly Row[] }) {
  return (
    <Table
      caption="What was decided live, and by each replay"
      columns={[
        {
          name: 'version',
          title: 'replay',
          draw: (row) => (
            <a href={hrefOf({ page: 'replays', params: { run, replay: textOf(row, 'version') } })}>
              <UntrustedText text={textOf(row, 'label') || textOf(row, 'version')} />
            </a>
          ),
        },
        {
          name: 'rollout_id',
          title: 'rollout',
          draw: (row) => (
            <RolloutLink
              run={run}
              rollout={textOf(row, 'rollout_id')}
              attempt={numberOf(row, 'attempt')}
              at={{ view: 'diff' }}
            />
          ),
        },
        {
          name: 'disposition',
          draw: (row) => <Change was={textOf(row, 'live_disposition')} is={textOf(row, 'disposition')} />,
        },
        {
          name: 'reward',
          isNumber: true,
          draw: (row) => <Change was={decimal(numberOf(row, 'live_reward'))} is={decimal(numberOf(row, 'reward'))} />,
        },
        {
          name: 'advantage',
          isNumber: true,
          draw: (row) => (
            <Change was={decimal(numberOf(row, 'live_advantage'))} is={decimal(numberOf(row, 'advantage'))} />
          ),
        },
        {
          name: 'why',
          draw: (row) => <UntrustedText text={Array.isArray(row.why) ? row.why.join(', ') : ''} />,
        },
      ]}
      rows={rows}
    />
  );
}

function Change({ was, is }: { readonly was: string; readonly is: string }) {
  if (was === is) return <span class="faint">{is}</span>;
  return (
    <b>
      {was === '' ? 'not decided' : was} → {is}
    </b>
  );
}
