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
  return async function storedRecord({ run, unit, rollout, attempt, replay }) {
    const rolloutHex = Buffer.from(rollout).toString('hex');
    const rows =
      replay === undefined
        ? await lookupTrajectories(deps.store, { rolloutId: rollout, runId: run, unit })
        : await lookupReplayedTrajectories(deps.store, {
            replayId: replay,
            attempts: [{ unit, rolloutHex, attempt }],
          });
    const row = rows.find((one) => one.attempt === attempt);
    if (row === undefined) return null;
    return { record: (await deps.encode())(row), isWhole: row.segments_ref === null };
  };
}
