import { attemptKey } from '../../../processors/model/attempt.ts';
import type { Audited } from '../../../processors/model/audit-summary.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import type { ComparedDecision, NewVerdict, UnitHistory } from '../../../processors/model/replay.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { auditedOf } from './audited-of.ts';
import type { RawChunk } from './fetch-chunk.ts';
import { createEventRows, type EventRows } from './read-event.ts';
import {
  type AuditedRow,
  auditedRows,
  decidedRows,
  type FindingRow,
  findingRows,
  lateVerdictRows,
  newVerdictRows,
  type RowKind,
} from './row-kinds.ts';

/**
 * Units of a chunk in order of their bytes: the half of reading that is work, in any thread. Events are decoded when their unit is
 * asked for, so that of a chunk only one unit is there as objects.
 */
export function* unitsOfChunk(raw: RawChunk): Generator<UnitHistory> {
  const decided = byUnit(raw.decided, decidedRows, decidedKey);
  const live = raw.live.length === 0 ? decided : byUnit(raw.live, decidedRows, decidedKey);
  const lateVerdicts = byUnit(raw.lateVerdicts, lateVerdictRows, ({ event }) =>
    [event.rollout_id, event.attempt, event.event_id].join('\0'),
  );
  const newVerdicts = byUnit(raw.newVerdicts, newVerdictRows, null);
  const audited = byUnit(raw.audited, auditedRows, (row) => attemptKey(row.rollout_id, row.attempt));
  const findings = byUnit(raw.findings, findingRows(raw.withTokens), (row) =>
    [
      attemptKey(row.rollout_id, row.attempt),
      row.audit,
      row.finding?.class,
      row.finding?.turn,
      row.finding?.index,
    ].join('\0'),
  );
  for (const { unit, records, started } of recordsByUnit(raw.events, createEventRows(raw))) {
    const liveOnes = live.get(unit) ?? [];
    // What a replay left out stands as it was decided live.
    const compared = decided.get(unit) ?? liveOnes;
    yield {
      unit,
      partition: raw.partition,
      records,
      lateVerdicts: neverInTime(lateVerdicts.get(unit) ?? [], records),
      newVerdicts: (newVerdicts.get(unit) ?? []).map(({ newVerdict }): NewVerdict => newVerdict),
      decided: compared.map(({ decision }): ComparedDecision => decision),
      open: openOf(started, liveOnes),
      audited: auditedByAttempt(audited.get(unit) ?? [], findings.get(unit) ?? [], raw.late),
    };
  }
}

type DecidedRow = ReturnType<typeof decidedRows.read>;

const decidedKey = ({ decision }: DecidedRow): string => attemptKey(decision.rollout_id, decision.attempt);

/** Rollouts of attempts that began and are not decided. */
function openOf(started: readonly Decoded[], live: readonly DecidedRow[]): string[] {
  const open = new Set<string>();
  for (const { event } of started)
    if (!live.some(({ decision }) => decision.rollout_id === event.rollout_id && decision.attempt === event.attempt))
      open.add(event.rollout_id);
  return [...open];
}

interface UnitRecords {
  readonly unit: string;
  readonly records: Decoded[];
  /** Accepted starts among them. */
  readonly started: Decoded[];
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
    if (isAccepted && record.event.kind === 'start') current.started.push(record);
    lastOffset = record.cause.offset;
  }
  if (current.records.length > 0) yield current;
}

/** Of rows with one key the first. They stand in an order in which the last written comes first. */
function byUnit<Row extends { readonly unit: string }>(
  bytes: Uint8Array,
  rows: RowKind<Row>,
  keyOf: ((row: Row) => string) | null,
): ReadonlyMap<string, Row[]> {
  const found = new Map<string, Row[]>();
  const reader = new RowBinaryReader(bytes);
  let ofUnit: Row[] = [];
  const keys = new Set<string>();
  while (!reader.isAtEnd) {
    const row = rows.read(reader);
    if (row.unit !== ofUnit[0]?.unit) {
      ofUnit = [];
      keys.clear();
      found.set(row.unit, ofUnit);
    }
    if (keyOf !== null) {
      const key = keyOf(row);
      if (keys.has(key)) continue;
      keys.add(key);
    }
    ofUnit.push(row);
  }
  return found;
}

/** A verdict that counted and was sent again after the close is late too, and nothing new. In order of offset. */
function neverInTime(late: readonly Decoded[], records: readonly Decoded[]): Decoded[] {
  return late
    .filter(
      ({ event }) =>
        !records.some(
          (record) =>
            record.event.kind === 'verdict' &&
            record.event.event_id === event.event_id &&
            record.event.rollout_id === event.rollout_id &&
            record.event.attempt === event.attempt,
        ),
    )
    .reverse();
}

function auditedByAttempt(
  rows: readonly AuditedRow[],
  findings: readonly FindingRow[],
  late: RawChunk['late'],
): ReadonlyMap<string, Audited> {
  const audited = new Map<string, Audited>();
  for (const row of rows) {
    const { rollout_id, attempt } = row;
    const found = findings.filter((one) => one.rollout_id === rollout_id && one.attempt === attempt);
    audited.set(attemptKey(rollout_id, attempt), found.length === 0 ? asDecided(row) : auditedOf(row, found, late));
  }
  return audited;
}

/** Most attempts have the same results and no finding: they share what says so. */
const known = new Map<string, Audited>();
const MOST_KNOWN = 1000;

function asDecided(row: AuditedRow): Audited {
  const key = JSON.stringify([row.results, row.missing]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const audited = auditedOf(row, [], 'ignore');
  if (known.size < MOST_KNOWN) known.set(key, audited);
  return audited;
}
