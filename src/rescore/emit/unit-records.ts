import type { TrajectoryInit } from '../../../schemas/generated/trajectory.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Transaction } from '../../broker/port.ts';
import type { Store } from '../../clickhouse/port.ts';
import { type AttemptName, lookupReplayedTrajectories } from '../../clickhouse/trajectory-lookup.ts';
import { RollstreamError } from '../../errors.ts';
import type { EncodeRecords } from '../../lanes/out-records.ts';
import type { RetryOutage } from '../../lanes/retry-outage.ts';
import { BATCH_BYTES, type EmittedUnit } from './cut-batches.ts';
import type { Shape } from './read-shapes.ts';

export interface UnitRecordsDeps {
  readonly store: Pick<Store, 'query'>;
  readonly blobs: Pick<BlobStore, 'put' | 'read'> | null;
  readonly encodeRecords: EncodeRecords;
  readonly outage: RetryOutage;
}

/** Records of units, as a lane writes them. What they refer to is on disk when it resolves. */
export type UnitRecords = (replayId: string, units: readonly EmittedUnit[]) => Promise<Transaction['records']>;

interface Wanted {
  readonly unit: string;
  readonly shape: Shape;
}

/** Trajectories are read piece by piece: of those above the limit of a record only the records stay. */
export function createUnitRecords({ store, blobs, encodeRecords, outage }: UnitRecordsDeps): UnitRecords {
  const folder = (): NonNullable<typeof blobs> => {
    if (blobs === null) throw new Error('bug: a record refers to a blob, and there is no folder for it');
    return blobs;
  };

  /** Written again it is as young as the record that refers to it. */
  const renew = async (sha256: string): Promise<void> => {
    const bytes = await outage('reading a blob', () => folder().read(sha256));
    if (typeof bytes === 'string')
      throw new RollstreamError('RS_BLOB_DAMAGED', `blob ${sha256}: ${bytes}`, { facts: { sha256 } });
    await outage('writing a blob', () => folder().put({ sha256, bytes }));
  };

  const recordOf = async ({ unit, shape }: Wanted, trajectory: TrajectoryInit) => {
    const out = { topic: 'ready', key: unit, offset: shape.closedAt, trajectory } as const;
    const { records, blobs: written } = encodeRecords([out]);
    for (const blob of written) await outage('writing a blob', () => folder().put(blob));
    if (typeof shape.segments === 'object') await renew(shape.segments.sha256);
    return records;
  };

  return async function unitRecords(replayId, units) {
    const records: Array<Transaction['records'][number]> = [];
    for (const piece of piecesOf(units)) {
      const attempts = piece.map(({ unit, shape }) => ({ unit, ...shape }));
      const found = await lookupReplayedTrajectories(store, { replayId, attempts });
      const byName = new Map(found.map((one) => [nameOf(one), one.trajectory] as const));
      for (const wanted of piece) {
        const trajectory = byName.get(nameOf({ unit: wanted.unit, ...wanted.shape }));
        if (trajectory === undefined)
          throw new Error(`bug: a trajectory of ${wanted.unit} was there, and is not any more`);
        records.push(...(await recordOf(wanted, trajectory)));
      }
    }
    return records;
  };
}

function nameOf({ unit, rolloutHex, attempt }: AttemptName): string {
  return `${unit}\u0000${rolloutHex}\u0000${attempt}`;
}

/** In order, each of so many bytes at most; a single one may have more. */
function piecesOf(units: readonly EmittedUnit[]): Wanted[][] {
  const pieces: Wanted[][] = [];
  let room = 0;
  for (const { unit, shapes } of units)
    for (const shape of shapes) {
      const own = typeof shape.segments === 'object' ? 0 : shape.bytes;
      if (room < own || pieces.length === 0) {
        pieces.push([]);
        room = BATCH_BYTES;
      }
      pieces.at(-1)?.push({ unit: unit.unit, shape });
      room -= own;
    }
  return pieces;
}
