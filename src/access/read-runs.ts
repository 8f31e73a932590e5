import type { Store } from '../clickhouse/port.ts';
import type { RunSummary } from './access.ts';

/** The runs that the store knows, the one that changed last first; a fork also before anything of its own has started. */
export function readRuns(store: Store): Promise<RunSummary[]> {
  return store.query<RunSummary>(`
    SELECT a.run_id AS run_id, a.started AS started, d.closed AS closed,
           if(a.first = toDateTime64(0, 6, 'UTC'), NULL, toString(a.first)) AS first_started_at,
           if(d.closed = 0, NULL, toString(d.last)) AS last_decided_at
    FROM (SELECT run_id, sum(n) AS started, min(at) AS first
          FROM (SELECT run_id, 1 AS n, started_at AS at FROM rollstream.live_attempts
                UNION ALL SELECT run_id, 0, NULL FROM rollstream.lineages FINAL WHERE kind = 'fork')
          GROUP BY run_id) AS a
    LEFT JOIN (SELECT run_id, count() AS closed, max(decided_at) AS last FROM rollstream.live_decisions
               GROUP BY run_id) AS d ON d.run_id = a.run_id
    ORDER BY d.last DESC, a.run_id`);
}
