import { attemptKey } from '../../../processors/model/attempt.ts';
import { AUDIT_NAMES, type Audited, type Finding } from '../../../processors/model/audit-summary.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import type { ComparedDecision, UnitHistory } from '../../../processors/model/replay.ts';
import { visibleRows } from '../../../src/simulate/books.ts';
import type { Outcome } from '../../../src/simulate/check-outcome.ts';
import type { Row } from '../../../src/simulate/memory-store.ts';

export interface StoredHistories {
  readonly units: readonly UnitHistory[];
  /** Control events about the whole partition. */
  readonly controls: readonly Decoded[];
}

/** What the tables hold of all units; the events themselves as the log has them at the offsets of the rows. */
export function historiesOfStore({ store, input }: Pick<Outcome, 'store' | 'input'>): StoredHistories {
  const rows = (table: string) => visibleRows(store, table);
  const decodedOf = (row: Row): Decoded => {
    const at = input[Number(row.offset)];
    if (at === undefined || at.event === null) throw new Error(`no event @${row.offset}`);
    const cause = { offset: at.record.offset, appendedAtMs: at.record.timestampMs };
    return { unit: String(row.unit), event: at.event, cause };
  };
  const inOrder = (of: readonly Row[]) => of.map(decodedOf).sort((a, b) => a.cause.offset - b.cause.offset);
  const records = inOrder([...rows('steps'), ...rows('step_faults')]);
  const late = inOrder(rows('verdicts').filter((row) => row.late === true));
  const decisions = rows('decisions').filter((row) => row.replay_id === '');
  const decided = new Set(decisions.map(attemptOf));
  const open = rows('attempts').filter((row) => !decided.has(attemptOf(row)));
  const of = <T extends { readonly unit: string }>(unit: string, all: readonly T[]) =>
    all.filter((one) => one.unit === unit);
  const units = [...new Set(records.map(({ unit }) => unit))].filter((unit) => unit !== '');
  return {
    controls: records.filter(({ unit }) => unit === ''),
    units: units.map((unit) => ({
      unit,
      partition: 0,
      records: of(unit, records),
      lateVerdicts: of(unit, late),
      newVerdicts: [],
      decided: decisions.filter((row) => row.unit === unit).map(comparedOf),
      open: open.filter((row) => row.unit === unit).map((row) => String(row.rollout_id)),
      audited: auditedOf(unit, rows('trajectories'), rows('audits')),
    })),
  };
}

export function attemptOf({ unit, rollout_id, attempt }: Row): string {
  return JSON.stringify([unit, rollout_id, attempt]);
}

/** The columns are the fields of a decision: the row is one that was encoded. */
function comparedOf(row: Row): ComparedDecision {
  return JSON.parse(JSON.stringify(row));
}

function auditedOf(unit: string, trajectories: readonly Row[], audits: readonly Row[]): Map<string, Audited> {
  const audited = new Map<string, Audited>();
  for (const row of trajectories) {
    if (row.unit !== unit) continue;
    const summary = Object.fromEntries(AUDIT_NAMES.map((name) => [name, row[`audit_${name}`]]));
    const findings = audits.filter((one) => attemptOf(one) === attemptOf(row) && one.class !== '').map(findingOf);
    const said: Audited = JSON.parse(JSON.stringify({ summary, missing: row.audit_missing, findings }));
    audited.set(attemptKey(String(row.rollout_id), Number(row.attempt)), said);
  }
  return audited;
}

function findingOf({ audit, class: name, severity, turn, index, detail, ids, expected_ids, ...row }: Row): Finding {
  const at = (value: unknown) => (Number(value) < 0 ? null : Number(value));
  const evidence = { ids, expectedIds: expected_ids, text: row.text, expectedText: row.expected_text };
  return JSON.parse(
    JSON.stringify({ audit, class: name, severity, turn: at(turn), index: at(index), detail, evidence }),
  );
}
