import { attemptKey } from '../../../processors/model/attempt.ts';
import type { Audited } from '../../../processors/model/audit-summary.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import type { ComparedDecision, NewVerdict, UnitHistory } from '../../../processors/model/replay.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { auditedOf } from './audited-of.ts';
import type { RawSides } from './fetch-sides.ts';
import {
  type AuditedRow,
  type AuditsSaid,
  auditedRows,
  decidedRows,
  type FindingRow,
  findingRows,
  newVerdictRows,
  type RowKind,
} from './row-kinds.ts';

/** An attempt whose start was accepted. */
export interface Started {
  readonly rolloutId: string;
  readonly attempt: number;
}

/** What a unit's history has beside its records. */
export interface Sides extends Pick<UnitHistory, 'decided' | 'open' | 'newVerdicts' | 'audited'> {
  /** A verdict about an attempt that had been decided before it came. */
  isLate(record: Decoded): boolean;
}

/** Of each unit what the store holds beside its events. */
export function readSides(raw: RawSides): (unit: string, started: readonly Started[]) => Sides {
  const decided = byUnit(raw.decided, decidedRows, decidedKey);
  const live = raw.live.length === 0 ? decided : byUnit(raw.live, decidedRows, decidedKey);
  const newVerdicts = byUnit(raw.newVerdicts, newVerdictRows, null);
  const audited = byUnit(raw.audited, auditedRows(), (row) => attemptKey(row.rollout_id, row.attempt));
  const findings = byUnit(raw.findings, findingRows(raw.withTokens), findingKey);
  return (unit, started) => {
    const liveOnes = live.get(unit) ?? [];
    // What a replay left out stands as it was decided live.
    const compared = decided.get(unit) ?? liveOnes;
    return {
      decided: compared.map(({ decision }): ComparedDecision => decision),
      open: openOf(started, liveOnes),
      newVerdicts: (newVerdicts.get(unit) ?? []).map(({ newVerdict }): NewVerdict => newVerdict),
      audited: auditedByAttempt(audited.get(unit) ?? [], findings.get(unit) ?? [], raw.late),
      isLate: ({ event, cause }) =>
        event.kind === 'verdict' &&
        liveOnes.some(
          ({ decision }) =>
            decision.rollout_id === event.rollout_id &&
            decision.attempt === event.attempt &&
            decision.offset < cause.offset,
        ),
    };
  };
}

type DecidedRow = ReturnType<typeof decidedRows.read>;

const decidedKey = ({ decision }: DecidedRow): string => attemptKey(decision.rollout_id, decision.attempt);

const findingKey = ({ rollout_id, attempt, audit, finding }: FindingRow): string =>
  [attemptKey(rollout_id, attempt), audit, finding?.class, finding?.turn, finding?.index].join('\0');

/** Rollouts of attempts that began and are not decided. */
function openOf(started: readonly Started[], live: readonly DecidedRow[]): string[] {
  const open = new Set<string>();
  for (const { rolloutId, attempt } of started)
    if (!live.some(({ decision }) => decision.rollout_id === rolloutId && decision.attempt === attempt))
      open.add(rolloutId);
  return [...open];
}

/** Of rows with one key the first. They stand in an order in which the last written comes first. */
export function byUnit<Row extends { readonly unit: string }>(
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

/** A verdict that counted and was sent again after the close is late too, and nothing new. */
export function neverInTime(late: readonly Decoded[], inTime: readonly Decoded[]): Decoded[] {
  return late.filter(
    ({ event }) =>
      !inTime.some(
        (record) =>
          record.event.kind === 'verdict' &&
          record.event.event_id === event.event_id &&
          record.event.rollout_id === event.rollout_id &&
          record.event.attempt === event.attempt,
      ),
  );
}

function auditedByAttempt(
  rows: readonly AuditedRow[],
  findings: readonly FindingRow[],
  late: RawSides['late'],
): ReadonlyMap<string, Audited> {
  const audited = new Map<string, Audited>();
  for (const row of rows) {
    const { rollout_id, attempt } = row;
    const found = findings.filter((one) => one.rollout_id === rollout_id && one.attempt === attempt);
    audited.set(
      attemptKey(rollout_id, attempt),
      found.length === 0 ? asDecided(row.said) : auditedOf(row.said, found, late),
    );
  }
  return audited;
}

/** Most attempts have the same results and no finding: they share what says so. */
const known = new WeakMap<AuditsSaid, Audited>();

function asDecided(said: AuditsSaid): Audited {
  const found = known.get(said);
  if (found !== undefined) return found;
  const audited = auditedOf(said, [], 'ignore');
  known.set(said, audited);
  return audited;
}
