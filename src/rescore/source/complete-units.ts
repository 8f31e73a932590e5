import type { Decoded } from '../../../processors/model/record.ts';
import type { UnitHistory } from '../../../processors/model/replay.ts';
import type { BulkReader } from '../../clickhouse/port.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { bytesLiteral } from './bytes-literal.ts';
import { fetchSides } from './fetch-sides.ts';
import { neverInTime, readSides, type Started } from './read-sides.ts';
import { ofPartition, type PartitionScope } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

/** All readable records of a unit, in order. */
export interface LoggedUnit {
  readonly unit: string;
  readonly records: readonly Decoded[];
}

/** Units out of the log with what the store alone knows of them. Few enough that a statement can name them: see `weightOf`. */
export async function completeUnits(
  reader: BulkReader,
  of: PartitionScope,
  scope: StoreScope,
  units: readonly LoggedUnit[],
): Promise<UnitHistory[]> {
  const named = (values: Iterable<string>): string => Array.from(new Set(values), bytesLiteral).join(', ');
  const events = units.flatMap(({ records }) => records.map(({ event }) => event));
  const byUnit = `run_id IN (${named(events.map(({ run_id }) => run_id))})
    AND unit IN (${named(units.map(({ unit }) => unit))})`;
  const byRollout = `${byUnit} AND rollout_id IN (${named(events.map(({ rollout_id }) => rollout_id))})`;
  const sidesOf = readSides(await fetchSides(reader, of, { scope, withTokens: true }, { byUnit, byRollout }));
  const started = await readStarted(reader, of, byUnit);
  return units.flatMap(({ unit, records }) => {
    const starts = started.get(unit);
    // Without an accepted start there is nothing to decide.
    if (starts === undefined) return [];
    const { isLate, decided, open, newVerdicts, audited } = sidesOf(unit, starts);
    const inTime = records.filter((record) => !isLate(record));
    // Of one that was sent again the last, as the store keeps it.
    const late = new Map(
      records
        .filter(isLate)
        .map((record) => [[record.event.rollout_id, record.event.attempt, record.event.event_id].join('\0'), record]),
    );
    const lateVerdicts = scope.late === 'ignore' ? [] : neverInTime([...late.values()], inTime);
    return {
      ...{ unit, partition: of.partition, records: inTime, newVerdicts, decided, open, audited },
      lateVerdicts: lateVerdicts.toSorted((a, b) => a.cause.offset - b.cause.offset),
    };
  });
}

/** Characters that a unit takes in a statement, about. */
export function weightOf({ unit, records }: LoggedUnit): number {
  return records.reduce(
    (sum, { event }) => sum + (event.kind === 'start' ? event.rollout_id.length + 4 : 0),
    unit.length + 4,
  );
}

/** Attempts whose start the lane accepted: the log does not tell. */
async function readStarted(
  reader: BulkReader,
  of: PartitionScope,
  byUnit: string,
): Promise<ReadonlyMap<string, readonly Started[]>> {
  const rows = new RowBinaryReader(
    await reader.read(
      `SELECT unit, rollout_id, attempt FROM rollstream.attempts
       WHERE ${ofPartition(of, 'offset')} AND replay_id = '' AND ${byUnit}`,
    ),
  );
  const started = new Map<string, Started[]>();
  while (!rows.isAtEnd) {
    const unit = rows.string();
    const one = { rolloutId: rows.string(), attempt: rows.int32() };
    const others = started.get(unit);
    if (others === undefined) started.set(unit, [one]);
    else others.push(one);
  }
  return started;
}
