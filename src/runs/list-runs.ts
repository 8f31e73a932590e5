import type { Store } from '../clickhouse/port.ts';
import type { RunSummary } from './runs.ts';

/**
 * Every run that is known, declared or not, in one query: what opened, what was decided, what is open now, and what was said of it.
 * The newest first. `open` and `ready` are those of the accounting; a run that was deleted and has figures got events afterwards.
 */
const SQL = `
WITH known AS (
  SELECT run_id, sum(a) AS started, sum(c) AS closed, sum(r) AS ready, sum(o) AS open, min(first) AS first, max(decided) AS decided,
    max(event) AS event
  FROM (
    SELECT run_id, count() AS a, 0 AS c, 0 AS r, 0 AS o, min(started_at) AS first,
      CAST(NULL, 'Nullable(DateTime64(6, \\'UTC\\'))') AS decided, toNullable(max(appended_at)) AS event
    FROM rollstream.live_attempts WHERE {run:String} = '' OR run_id = {run:String} GROUP BY run_id
    UNION ALL
    SELECT run_id, 0, count(),
      countIf(is_kept AND NOT is_held), countIf(is_kept AND is_held), NULL, toNullable(max(decided_at)), toNullable(max(decided_at))
    FROM (
      SELECT run_id, decided_at, disposition IN ('train', 'train_masked', 'penalise') AS is_kept,
        held AND (run_id, unit, rollout_id, attempt) NOT IN
          (SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL) AS is_held
      FROM rollstream.live_decisions
      WHERE {run:String} = '' OR run_id = {run:String}
    )
    GROUP BY run_id
    UNION ALL
    SELECT open_run, 0, 0, 0, count(), NULL, NULL, NULL
    FROM (SELECT arrayJoin(\`open.run_id\`) AS open_run FROM rollstream.lanes FINAL) GROUP BY open_run
    UNION ALL SELECT run_id, 0, 0, 0, 0, NULL, NULL, NULL FROM rollstream.lineages FINAL WHERE kind = 'fork'
    UNION ALL SELECT run_id, 0, 0, 0, 0, NULL, NULL, NULL FROM rollstream.runs FINAL
  )
  WHERE {run:String} = '' OR run_id = {run:String}
  GROUP BY run_id
)
SELECT k.run_id AS run_id, if(r.version = 0, 'active', toString(r.state)) AS state, r.version > 0 AS declared, r.purpose AS purpose,
  r.note AS note, r.events_per_second AS events_per_second, r.in_flight_bytes AS in_flight_bytes,
  k.started AS started, k.closed AS closed, k.open AS open, k.ready AS ready,
  toString(k.first) AS first_started_at, toString(k.decided) AS last_decided_at, toString(k.event) AS last_event_at,
  if(r.version = 0, NULL, toString(r.created_at)) AS created_at, if(r.version = 0, NULL, toString(r.changed_at)) AS changed_at,
  r.changed_by AS changed_by, r.removed AS removed
FROM known AS k
LEFT JOIN (SELECT * FROM rollstream.runs FINAL) AS r ON r.run_id = k.run_id
ORDER BY k.decided DESC NULLS LAST, k.event DESC NULLS LAST, run_id`;

/** All runs, or the one; [] where nobody has heard of it. */
export async function listRuns(store: Pick<Store, 'query'>, runId: string | null = null): Promise<RunSummary[]> {
  const rows = await store.query<RunSummary>(SQL, { run: runId ?? '' });
  return rows.map((row) => ({ ...row, declared: Boolean(row.declared) }));
}
