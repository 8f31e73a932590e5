import type { Store } from '../clickhouse/port.ts';
import { suggestion } from '../config/nearest.ts';
import { RollstreamError } from '../errors.ts';

/** Runs that anything was heard of, with the environments that their decisions name. */
export async function readKnownRuns(store: Pick<Store, 'query'>): Promise<Map<string, string[]>> {
  const rows = await store.query<{ run_id: string; envs: string[] }>(
    `SELECT run_id, arraySort(groupUniqArrayIf(env_name, has_env)) AS envs
     FROM (
       SELECT DISTINCT run_id, env_name, true AS has_env FROM rollstream.attempts WHERE replay_id = ''
       UNION ALL SELECT DISTINCT run_id, env_name, true FROM rollstream.decisions WHERE replay_id = ''
       UNION ALL SELECT DISTINCT run_id, '', false FROM rollstream.gates
     )
     GROUP BY run_id ORDER BY run_id`,
  );
  return new Map(rows.map(({ run_id, envs }) => [run_id, envs] as const));
}

/** RS_NOT_FOUND, with the name that was probably meant. */
export function refuseUnknownRun(runId: string, known: Iterable<string>): RollstreamError {
  return new RollstreamError('RS_NOT_FOUND', `no run is named ${runId}${suggestion(runId, [...known])}`, {
    facts: { field: 'run' },
  });
}
