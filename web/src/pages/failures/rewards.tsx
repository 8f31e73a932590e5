import { named, numberOf, type Row, textOf } from '../../api/rows.ts';
import { summed, totalOf } from '../../api/sum-rows.ts';
import { BarList } from '../../parts/bar-list.tsx';
import { count, decimal } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { hrefOf } from '../../state/place.ts';
import { type Filters, failuresHref } from './filters.ts';

const DIMENSIONS = ['reason', 'length', 'turns'] as const;
const HEADS = { reason: 'reason', length: 'sampled tokens', turns: 'model calls' };

/** What endings, lengths and numbers of turns are rewarded with. */
export function Rewards({
  run,
  filters,
  by,
}: {
  readonly run: string;
  readonly filters: Filters;
  readonly by: string;
}) {
  const dimension = DIMENSIONS.find((name) => name === by) ?? 'reason';
  return (
    <Panel
      title="Rewards"
      note="Mean over valid rewards of all decided attempts; a dash: none was scored."
      source={named('reward_by', { run })}
      empty="No rollout was decided yet: npx rollstream import PATH"
      isWide
    >
      {(rows) => (
        <>
          <p class="choices">
            by{' '}
            {DIMENSIONS.map((name) => (
              <a
                key={name}
                href={hrefOf({ page: 'failures', params: { run, ...filters, by: name === 'reason' ? '' : name } })}
                aria-current={name === dimension ? 'true' : undefined}
              >
                {name}
              </a>
            ))}
          </p>
          <BarList
            caption={`Mean reward by ${dimension}`}
            heads={[HEADS[dimension], 'mean reward', 'mean', 'p10', 'p50', 'p90', 'zero', 'scored', 'attempts']}
            bars={bucketsOf(rows, dimension).map(({ name, rows: own }) => barOf(run, filters, dimension, name, own))}
          />
        </>
      )}
    </Panel>
  );
}

function bucketsOf(rows: readonly Row[], dimension: string) {
  const own = summed(
    rows.filter((row) => row.dimension === dimension),
    'bucket',
  );
  // Of several runs the order of reasons is by how many they are, which `summed` has done.
  return dimension === 'reason'
    ? own
    : own.sort((a, b) => (numberOf(a.rows[0], 'bucket_order') ?? 0) - (numberOf(b.rows[0], 'bucket_order') ?? 0));
}

function barOf(run: string, filters: Filters, dimension: string, name: string, rows: readonly Row[]) {
  const scored = totalOf(rows, 'scored');
  const mean =
    scored === 0
      ? null
      : rows.reduce((sum, row) => sum + (numberOf(row, 'mean_reward') ?? 0) * (numberOf(row, 'scored') ?? 0), 0) /
        scored;
  // Percentiles of several runs cannot be had from theirs.
  const only = rows.length === 1 ? rows[0] : undefined;
  return {
    name,
    href:
      dimension === 'reason'
        ? failuresHref(run, { ...filters, reason: name, outcome: 'all' })
        : hrefOf({ page: 'failures', params: { run, ...filters, by: dimension } }),
    value: mean === null ? null : Math.max(0, mean),
    colour: 'var(--accent)',
    cells: [
      decimal(mean),
      decimal(numberOf(only, 'p10')),
      decimal(numberOf(only, 'p50')),
      decimal(numberOf(only, 'p90')),
      count(totalOf(rows, 'zero')),
      count(scored),
      count(totalOf(rows)),
    ],
    title: textOf(rows[0], 'bucket'),
  };
}
