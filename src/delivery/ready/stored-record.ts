import type { ReadyEntry } from '../../../processors/model/delivery.ts';
import type { TrajectoryInit } from '../../../schemas/generated/trajectory.ts';
import type { Store } from '../../clickhouse/port.ts';
import { lookupReplayedTrajectories, lookupTrajectories } from '../../clickhouse/trajectory-lookup.ts';
import type { Encode } from '../../registry/codecs.ts';

/** A trajectory from its rows, which are all that was sent, as a record of the ready topic. `isWhole`: its token data is in it. */
export type StoredRecord = (
  entry: ReadyEntry,
) => Promise<{ readonly record: Buffer; readonly isWhole: boolean } | null>;

export function createStoredRecord(deps: {
  readonly store: Store;
  /** Made when it is first needed: who only reads has no schema registered. */
  readonly encode: () => Promise<Encode<TrajectoryInit>>;
}): StoredRecord {
  const live = async ({ run, unit, rollout, attempt }: ReadyEntry): Promise<TrajectoryInit | undefined> => {
    const rows = await lookupTrajectories(deps.store, { rolloutId: rollout, runId: run, unit });
    return rows.find((one) => one.attempt === attempt);
  };

  const replayed = async (replayId: string, { unit, rollout, attempt }: ReadyEntry) => {
    const attempts = [{ unit, rolloutHex: Buffer.from(rollout).toString('hex'), attempt }];
    const [found] = await lookupReplayedTrajectories(deps.store, { replayId, attempts });
    return found?.trajectory;
  };

  return async function storedRecord(entry) {
    const row = entry.replay === undefined ? await live(entry) : await replayed(entry.replay, entry);
    if (row === undefined) return null;
    return { record: (await deps.encode())(row), isWhole: row.segments_ref === null };
  };
}
