import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { decimal } from '../../parts/format.ts';
import { InView } from '../../parts/in-view.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlaceSelect } from '../../parts/place-select.tsx';
import { Table } from '../../parts/table.tsx';
import { inState, STATES } from './group-book.ts';
import { GroupList } from './group-list.tsx';
import './groups.css';
import { HealthTiles } from './health-tiles.tsx';
import { OneGroup } from './one-group.tsx';

const NO_GROUP =
  'No group of a run for training was decided yet: npx rollstream import PATH. Rollouts belong to one where their source has a group_id.';
const LISTED = 1_000;

/** Groups of rollouts: whether they are whole, what their rewards are measured by, who was left out and why. */
export function GroupsPage({ run, params }: PageProps) {
  const { env = '', state = '', unit = '' } = params;
  return (
    <>
      <h1>Groups</h1>
      <div class="cards">
        {unit === '' ? null : (
          <InView of={unit}>
            <OneGroup run={run} unit={unit} />
          </InView>
        )}
        <Panel
          title="Group health"
          note="Pick a number to see those groups."
          source={named('group_health', { run })}
          empty={NO_GROUP}
          isWide
        >
          {(rows) => (
            <>
              <div class="choices">
                <PlaceSelect
                  label="environment"
                  param="env"
                  value={env}
                  options={[...new Set(rows.map((row) => textOf(row, 'env_name')))].sort()}
                  all="all environments"
                />
                <PlaceSelect label="state" param="state" value={state} options={Object.keys(STATES)} all="all states" />
              </div>
              <HealthTiles rows={rows} run={run} params={params} />
              <Means rows={rows.filter((row) => env === '' || textOf(row, 'env_name') === env)} withRun={run === ''} />
            </>
          )}
        </Panel>
        <Panel
          title="The worst groups"
          note={`Those with the fewest of their members in the loss first, then those without spread; at most ${LISTED} are looked at.`}
          source={named('groups', { run, env, limit: LISTED })}
          empty={NO_GROUP}
          isWide
        >
          {(rows) => {
            const shown = inState(rows, state);
            return shown.length === 0 ? (
              <p class="empty">None of them is in this state.</p>
            ) : (
              <GroupList run={run} rows={shown} params={params} />
            );
          }}
        </Panel>
      </div>
    </>
  );
}

function Means({ rows, withRun }: { readonly rows: readonly Row[]; readonly withRun: boolean }) {
  const columns = [
    ...(withRun ? [{ name: 'run_id', title: 'run' }] : []),
    { name: 'env_name', title: 'environment' },
    ...MEANS.map(([name, title]) => ({
      name,
      title,
      isNumber: true,
      draw: (row: Row) => decimal(numberOf(row, name)),
    })),
  ];
  return <Table caption="By environment" columns={columns} rows={rows} />;
}

const MEANS = [
  ['groups', 'groups'],
  ['mean_size', 'mean size'],
  ['mean_reward', 'mean reward'],
  ['mean_spread', 'mean spread of rewards'],
  ['out_of_baseline', 'members out of the baseline'],
] as const;
