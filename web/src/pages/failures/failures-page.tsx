import { named, statement, useRows } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { RolloutList } from '../../parts/rollout-list.tsx';
import { ByPlace } from './by-place.tsx';
import { ByReason, FaultOwners } from './by-reason.tsx';
import { Contradictions, TimeOuts, UnknownReasons } from './endings.tsx';
import './failures.css';
import { failureSentence } from './failure-sentence.ts';
import { FilterBar } from './filter-bar.tsx';
import { filtersOf, givenFilters } from './filters.ts';
import { OverHours } from './over-hours.tsx';
import { Rewards } from './rewards.tsx';
import rolloutsBehind from './rollouts-behind.sql?raw';
import { WorstTasks } from './worst-tasks.tsx';

const REFRESH_MS = 30_000;
const LIMIT = 100;

/** Why attempts are not trained, and the rollouts behind each figure. */
export function FailuresPage({ run, params }: PageProps) {
  const filters = filtersOf(params);
  const shares = useRows(named('failure_share', { run }), REFRESH_MS);
  const failures = useRows(named('failures', { run }), REFRESH_MS);
  const isEmpty = shares.value?.length === 0 && givenFilters(filters).length === 0;
  const picked = { run, filters };
  return (
    <>
      <h1>Failures</h1>
      {shares.value === null ? null : <p class="sentence">{failureSentence(shares.value)}</p>}
      {isEmpty ? (
        <p class="empty">
          Rollouts come by <code>npx rollstream import PATH</code>, or from a recorder; another run is picked above.
        </p>
      ) : (
        <>
          <FilterBar {...picked} shares={shares.value ?? []} failures={failures.value ?? []} />
          <div class="cards">
            <ByReason {...picked} shares={shares} />
            <FaultOwners {...picked} shares={shares} />
            <RolloutList
              title="Rollouts behind it"
              source={statement(rolloutsBehind, { run, ...filters, limit: LIMIT })}
              refreshMs={REFRESH_MS}
              empty="No attempt matches what is picked. Remove a filter above, or pick another outcome."
            />
            <OverHours {...picked} failures={failures} />
            <ByPlace {...picked} failures={failures} />
            <WorstTasks {...picked} />
            <Rewards {...picked} by={params.by ?? ''} />
            <TimeOuts run={run} />
            <Contradictions run={run} />
            <UnknownReasons run={run} />
          </div>
        </>
      )}
    </>
  );
}
