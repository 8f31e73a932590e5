import type { Decoded } from '../../../processors/model/record.ts';
import type { UnitHistory } from '../../../processors/model/replay.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import type { RawChunk } from './fetch-chunk.ts';
import { createEventRows, type EventRows } from './read-event.ts';
import { byUnit, neverInTime, readSides, type Started } from './read-sides.ts';
import { lateVerdictRows } from './row-kinds.ts';

/**
 * Units of a chunk in order of their bytes: the half of reading that is work, in any thread. Events are decoded when their unit is
 * asked for, so that of a chunk only one unit is there as objects.
 */
export function* unitsOfChunk(raw: RawChunk): Generator<UnitHistory> {
  const { partition } = raw;
  const sidesOf = readSides(raw);
  const lateVerdicts = byUnit(raw.lateVerdicts, lateVerdictRows, ({ event }) =>
    [event.rollout_id, event.attempt, event.event_id].join('\0'),
  );
  for (const { unit, records, started } of recordsByUnit(raw.events, createEventRows(raw))) {
    const { decided, open, newVerdicts, audited } = sidesOf(unit, started);
    // The last written stands first.
    const late = neverInTime(lateVerdicts.get(unit) ?? [], records).reverse();
    yield { unit, partition, records, lateVerdicts: late, newVerdicts, decided, open, audited };
  }
}

interface UnitRecords {
  readonly unit: string;
  readonly records: Decoded[];
  /** Accepted starts among them. */
  readonly started: Started[];
}

/** Rows in order of unit and offset; of two with one offset the first is the successor's, or both are the same. */
function* recordsByUnit(bytes: Uint8Array, rows: EventRows): Generator<UnitRecords> {
  const reader = new RowBinaryReader(bytes);
  let current: UnitRecords = { unit: '', records: [], started: [] };
  let lastOffset = -1;
  while (!reader.isAtEnd) {
    const isAccepted = reader.bool();
    const record = rows.read(reader);
    if (current.unit !== record.unit) {
      if (current.records.length > 0) yield current;
      current = { unit: record.unit, records: [], started: [] };
    } else if (lastOffset === record.cause.offset) continue;
    current.records.push(record);
    if (isAccepted && record.event.kind === 'start')
      current.started.push({ rolloutId: record.event.rollout_id, attempt: record.event.attempt });
    lastOffset = record.cause.offset;
  }
  if (current.records.length > 0) yield current;
}
