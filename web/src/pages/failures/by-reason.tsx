import { named, type Row, textOf } from '../../api/rows.ts';
import { summed, totalOf } from '../../api/sum-rows.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { BarList } from '../../parts/bar-list.tsx';
import { colourOf } from '../../parts/colours.ts';
import { count, percent } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Filters, failuresHref, NONE } from './filters.ts';
import { NarrowedRows } from './narrowed-rows.tsx';

interface Props {
  readonly run: string;
  readonly filters: Filters;
  readonly shares: Loaded<Row[]>;
}

/** Each reason as a bar, in the colour of its category. */
export function ByReason({ run, filters, shares }: Props) {
  return (
    <Panel
      title="By reason"
      note="Share of all attempts that were decided and match. A reason shows its rollouts."
      source={named('failure_share', { run })}
      loaded={shares}
      empty="No rollout was decided yet: npx rollstream import PATH"
    >
      {(all) => {
        const decided = totalOf(all.filter((row) => matchesEnv(row, filters)));
        return (
          <NarrowedRows rows={all.filter((row) => hasOutcome(row, filters.outcome))} filters={filters}>
            {(rows) => (
              <BarList
                caption="Attempts by reason"
                heads={['reason', 'attempts', 'n', 'share', 'category']}
                bars={summed(rows, 'reason').map(({ name, total, rows: own }) => {
                  const categories = summed(own, 'category').map((sum) => sum.name);
                  const isPicked = filters.reason === (name || NONE);
                  return {
                    name,
                    href: failuresHref(run, { ...filters, reason: isPicked ? '' : name || NONE }),
                    isPicked,
                    value: total,
                    colour: colourOf(categories[0] ?? '', 0),
                    cells: [count(total), percent(decided === 0 ? null : total / decided), categories.join(', ')],
                  };
                })}
              />
            )}
          </NarrowedRows>
        );
      }}
    </Panel>
  );
}

/** Whose fault each ending is, with what came of them. */
export function FaultOwners({ run, filters, shares }: Props) {
  return (
    <Panel
      title="Fault owners"
      note="Of all decided attempts, trained ones too: whose doing the end of the loop was. What an audit found in the record is the harness’s, and a verdict that never came the verifier’s, also where the loop completed."
      source={named('fault_owners', { run })}
      empty="No rollout was decided yet: npx rollstream import PATH"
    >
      {(all) => (
        <NarrowedRows rows={all} filters={filters}>
          {(rows) => {
            const decided = totalOf((shares.value ?? []).filter((row) => matchesEnv(row, filters)));
            return (
              <BarList
                caption="Attempts by fault owner"
                heads={['owner', 'attempts', 'n', 'share', 'trained', 'not trained']}
                bars={summed(rows, 'owner').map(({ name, total, rows: own }, index) => {
                  const trained = totalOf(own, 'trained');
                  const isPicked = filters.owner === name;
                  return {
                    name,
                    href: failuresHref(run, { ...filters, owner: isPicked ? '' : name }),
                    isPicked,
                    value: total,
                    colour: colourOf(CATEGORY_OF_OWNER.get(name) ?? name, index),
                    cells: [
                      count(total),
                      percent(decided === 0 ? null : total / decided),
                      count(trained),
                      count(total - trained),
                    ],
                  };
                })}
              />
            );
          }}
        </NarrowedRows>
      )}
    </Panel>
  );
}

/** Owners at fault take the colour of their category. */
const CATEGORY_OF_OWNER: ReadonlyMap<string, string> = new Map([
  ['policy', 'policy_failure'],
  ...['env', 'infra', 'harness', 'verifier'].map((owner): [string, string] => [owner, `${owner}_fault`]),
]);

function hasOutcome(row: Row, outcome: string): boolean {
  if (outcome === 'all') return true;
  return (row.is_trained === true) === (outcome === 'trained');
}

/** The share is of the environment that is picked, whatever else is. */
function matchesEnv(row: Row, { env }: Filters): boolean {
  return env === '' || (textOf(row, 'env_name') || NONE) === env;
}
