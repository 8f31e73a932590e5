import type { QueryParams } from '../clickhouse/port.ts';
import type { ReplayPlace, ReplayRequest } from '../rescore/replay-request.ts';

/** Attempts of the store, as the rest of a SELECT behind its columns. */
export interface AttemptScope {
  /** `FROM … WHERE …`; columns of an attempt are its own. */
  readonly sql: string;
  readonly params: QueryParams;
}

const KEY = 'run_id, unit, rollout_id, attempt';

/** Decided attempts of what a replay works on; `where` was checked: it is one condition. */
export function decidedScope({
  runs,
  from,
  to,
  where,
}: Pick<ReplayRequest, 'runs' | 'from' | 'to' | 'where'>): AttemptScope {
  const places = [placeSql(from, 'from', '>='), placeSql(to, 'to', '<')].filter((sql) => sql !== null);
  const units = (table: string, rest: string) =>
    `(run_id, unit) IN (SELECT run_id, unit FROM rollstream.${table} WHERE ${RUNS} ${rest})`;
  const conditions = [
    RUNS,
    `disposition != 'superseded'`,
    ...(where === null ? [] : [units('live_decisions', `AND (\n${where}\n)`)]),
    ...(places.length === 0
      ? []
      : [units('live_attempts', `GROUP BY run_id, unit, partition HAVING ${places.join(' AND ')}`)]),
  ];
  return {
    sql: `FROM rollstream.live_decisions WHERE ${conditions.join(' AND ')}`,
    params: { runs, ...placeParams(from, 'from'), ...placeParams(to, 'to') },
  };
}

/**
 * Attempts that no verdict of the scorer is about: undecided ones; with `late` also those that were decided because a reward was missing,
 * whose verdict is kept for a replay.
 */
export function unverifiedScope(runs: readonly string[], scorer: string, late: boolean): AttemptScope {
  const decided = late ? `AND NOT has(why, 'reward_missing')` : '';
  return {
    sql: `FROM rollstream.live_attempts WHERE ${RUNS}
      AND (${KEY}) NOT IN (SELECT ${KEY} FROM rollstream.live_decisions WHERE ${RUNS} ${decided})
      AND (${KEY}) NOT IN
        (SELECT ${KEY} FROM rollstream.live_verdicts WHERE ${RUNS} AND scorer = {scorer:String} AND bound_to IS NULL)`,
    params: { runs, scorer },
  };
}

/** No run is named: all of them. */
const RUNS = `(empty({runs:Array(String)}) OR run_id IN {runs:Array(String)})`;

/** A unit belongs to a stretch by the record that opened it. */
function placeSql(place: ReplayPlace | null, name: string, than: '>=' | '<'): string | null {
  if (place === null) return null;
  if (place.kind === 'time') return `min(appended_at) ${than} fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;
  const beyond = `min(offset) ${than} {${name}:Int64}`;
  return place.partition === null ? beyond : `(partition != {${name}_partition:Int32} OR ${beyond})`;
}

function placeParams(place: ReplayPlace | null, name: string): QueryParams {
  if (place === null) return {};
  if (place.kind === 'time') return { [name]: place.atMs };
  return { [name]: place.offset, ...(place.partition === null ? {} : { [`${name}_partition`]: place.partition }) };
}
