import { type Row, textOf } from '../../api/rows.ts';
import { totalOf } from '../../api/sum-rows.ts';
import { count } from '../../parts/format.ts';
import { hrefOf } from '../../state/place.ts';
import { STATES } from './group-book.ts';

/** How many groups are in each state; a tile filters the list by it. */
export function HealthTiles({
  rows,
  run,
  params,
}: {
  readonly rows: readonly Row[];
  readonly run: string;
  readonly params: Readonly<Record<string, string>>;
}) {
  const env = params.env ?? '';
  const shown = rows.filter((row) => env === '' || textOf(row, 'env_name') === env);
  return (
    <div class="tiles">
      <div class="tile">
        <b>{count(totalOf(shown, 'groups'))}</b>
        <span>groups</span>
      </div>
      {Object.entries(STATES).map(([state, means]) => {
        const isPicked = params.state === state;
        const href = hrefOf({ page: 'groups', params: { run, ...params, state: isPicked ? '' : state } });
        return (
          <a key={state} class="tile" href={href} title={means} aria-current={isPicked ? 'true' : undefined}>
            <b>{count(totalOf(shown, state))}</b>
            <span>{state.replace('_', ' ')}</span>
          </a>
        );
      })}
    </div>
  );
}
