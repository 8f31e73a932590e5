import type { Store } from '../clickhouse/port.ts';
import type { LeaseOut } from './leases-out.ts';

const MOST_NAMED = 3;

/** Attempts of the run that lanes have open, as of their last flush. */
export async function openAttemptsOf(store: Pick<Store, 'query'>, runId: string): Promise<number> {
  const [found] = await store.query<{ n: number }>(
    'SELECT countEqual(arrayFlatten(groupArray(`open.run_id`)), {run:String}) AS n FROM rollstream.lanes FINAL',
    { run: runId },
  );
  return Number(found?.n ?? 0);
}

/**
 * Why a run should not be deleted now, in words; []: nothing stands against it. `mayName`: what is told by name, of runs; null: all of
 * it. Else forks of others and replays, which span runs, are told of without theirs.
 */
export async function usesOf(
  store: Pick<Store, 'query'>,
  runId: string,
  leases: readonly LeaseOut[],
  mayName: ReadonlySet<string> | null = null,
): Promise<string[]> {
  const open = await openAttemptsOf(store, runId);
  const forks = await livingForks(store, runId);
  const replays = await store.query<{ replay_id: string }>(
    "SELECT replay_id FROM rollstream.replays FINAL WHERE state IN ('running', 'emitting') ORDER BY replay_id",
  );
  return [
    ...(open > 0 ? [`${counted(open, 'attempt is', 'attempts are')} open`] : []),
    ...(leases.length > 0
      ? [`${counted(leases.length, 'lease is', 'leases are')} out (${named(leases.map(leaseText))})`]
      : []),
    ...(forks.length > 0 ? [`${namedOf(forks, mayName)} began as a fork of it and shares its trajectories`] : []),
    ...(replays.length > 0
      ? [
          mayName === null
            ? `a replay is running (${named(replays.map(({ replay_id }) => replay_id))})`
            : 'a replay is running',
        ]
      : []),
  ];
}

/** Runs that began as a fork of this one, and are not deleted themselves. */
export async function livingForks(store: Pick<Store, 'query'>, runId: string): Promise<string[]> {
  const rows = await store.query<{ run_id: string }>(
    `SELECT DISTINCT run_id FROM rollstream.lineages FINAL WHERE kind = 'fork' AND parent = {run:String}
       AND run_id NOT IN (SELECT run_id FROM rollstream.runs FINAL WHERE state IN ('deleting', 'deleted'))
     ORDER BY run_id`,
    { run: runId },
  );
  return rows.map(({ run_id }) => run_id);
}

function namedOf(runs: readonly string[], mayName: ReadonlySet<string> | null): string {
  const told = mayName === null ? runs : runs.filter((run) => mayName.has(run));
  if (told.length === runs.length) return named(runs);
  const others = counted(runs.length - told.length, 'run of others', 'runs of others');
  return told.length === 0 ? others : `${named(told)} and ${others}`;
}

function leaseText({ lease, consumer, deadlineMs }: LeaseOut): string {
  return `${lease} of ${consumer} until ${new Date(deadlineMs).toISOString()}`;
}

function counted(n: number, one: string, many: string): string {
  return `${n} ${n === 1 ? one : many}`;
}

function named(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
