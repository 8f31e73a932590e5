import type { Store } from '../../clickhouse/port.ts';

/** A run that a replay decided units of, and which places they have in the order in which it emits: [from, to). */
export interface PlannedRun {
  readonly runId: string;
  readonly envs: readonly string[];
  readonly from: number;
  readonly to: number;
}

export interface PlannedUnit {
  /** Place in the order in which the replay emits, from 0, those that it leaves out included. */
  readonly position: number;
  readonly runId: string;
  readonly epoch: number;
  /** The message key. */
  readonly unit: string;
}

/** Runs one after the other, in the order of their ids. */
export async function readPlannedRuns(store: Pick<Store, 'query'>, replayId: string): Promise<PlannedRun[]> {
  const rows = await store.query<{ run: string; units: number; envs: string[] }>(
    `SELECT toString(run_id) AS run, toUInt32(uniqExact(unit)) AS units, arraySort(groupUniqArray(toString(env_name))) AS envs
     FROM rollstream.decisions
     WHERE replay_id = {replay:String}
     GROUP BY run ORDER BY run`,
    { replay: replayId },
  );
  let to = 0;
  return rows.map(({ run, units, envs }) => {
    const from = to;
    to += units;
    return { runId: run, envs, from, to };
  });
}

/**
 * Units from a place on: by run, then in the order in which they were decided. It does not depend on what becomes of them, so that
 * a place means the same unit however often the replay goes on.
 */
export async function readPlan(
  store: Pick<Store, 'query'>,
  { replayId, position, most }: { readonly replayId: string; readonly position: number; readonly most: number },
): Promise<PlannedUnit[]> {
  const rows = await store.query<{ run: string; of_epoch: number; unit: string }>(
    `SELECT toString(run_id) AS run, any(epoch) AS of_epoch, unit
     FROM rollstream.decisions
     WHERE replay_id = {replay:String}
     GROUP BY run, unit
     ORDER BY run, max(offset), any(partition), unit
     LIMIT {most:UInt32} OFFSET {position:UInt64}`,
    { replay: replayId, most, position },
  );
  return rows.map(({ run, of_epoch, unit }, index) => ({
    position: position + index,
    runId: run,
    epoch: of_epoch,
    unit,
  }));
}
