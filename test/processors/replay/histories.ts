import { attemptKey } from '../../../processors/model/attempt.ts';
import type { Audited, Finding } from '../../../processors/model/audit-summary.ts';
import type { DocumentIds, InForce } from '../../../processors/model/control.ts';
import type { AuditRow, Effects } from '../../../processors/model/effects.ts';
import type { LaneState } from '../../../processors/model/lane-state.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import type { ReplayedRows, UnitHistory } from '../../../processors/model/replay.ts';
import { createLaneHistory } from '../../../processors/replay/create-lane-history.ts';

/** What a lane wrote, as a source would read it back: units in order of their first record. */
export function historiesOf({ rows }: Effects, state: Pick<LaneState, 'units'>): UnitHistory[] {
  // An orphan that waits is in no table yet, whatever it makes of what comes.
  const open = [...state.units.values()].flatMap((unit) => [...unit.attempts.values()]);
  const records = [...rows.steps, ...rows.step_faults].map(decodedOf).sort(byOffset);
  const late = rows.verdicts.filter((row) => row.late).map(decodedOf);
  const units = new Set(records.flatMap(({ unit }) => (unit === '' ? [] : [unit])));
  return [...units].map((unit) => ({
    unit,
    partition: 0,
    records: records.filter((record) => record.unit === unit),
    lateVerdicts: late.filter((record) => record.unit === unit).sort(byOffset),
    newVerdicts: [],
    decided: rows.decisions.filter((row) => row.unit === unit),
    open: open.filter((attempt) => attempt.unit.key === unit).map(({ rolloutId }) => rolloutId),
    audited: auditedOf(rows, unit),
  }));
}

/** The values of the lane that wrote it. */
export function laneHistoryOf({ rows }: Effects, initial: InForce, override: Partial<DocumentIds> = {}) {
  const controls = rows.steps.filter(({ unit }) => unit === '').map(decodedOf);
  return createLaneHistory({ controls: controls.sort(byOffset), initial, override });
}

function decodedOf(row: {
  readonly unit: string;
  readonly event: Decoded['event'];
  readonly offset: number;
  readonly appendedAtMs: number;
}): Decoded {
  const { unit, event, offset, appendedAtMs } = row;
  return { unit, event, cause: { offset, appendedAtMs } };
}

function byOffset(a: Decoded, b: Decoded): number {
  return a.cause.offset - b.cause.offset;
}

function auditedOf(rows: Effects['rows'], unit: string): Map<string, Audited> {
  const audited = new Map<string, Audited>();
  for (const { trajectory, unit: of } of rows.trajectories) {
    const { rollout_id, attempt = 0, audit, audit_missing = {} } = trajectory;
    if (of !== unit || audit === undefined) continue;
    const found = rows.audits.filter(
      (row) => row.unit === unit && row.rollout_id === rollout_id && row.attempt === attempt && row.class !== '',
    );
    const summary = { ...UNKNOWN, ...audit };
    audited.set(attemptKey(rollout_id, attempt), { summary, missing: audit_missing, findings: found.map(findingOf) });
  }
  return audited;
}

const UNKNOWN = {
  tokens: 'unknown',
  template: 'unknown',
  tools: 'unknown',
  termination: 'unknown',
  numbers: 'unknown',
  wall: 'unknown',
  reencode: 'unknown',
} as const;

function findingOf({ audit, class: name, severity, turn, index, detail, evidence }: AuditRow): Finding {
  const found = { audit, class: name, severity, turn, index, detail };
  // The name of an audit is a text in its table.
  return (Object.keys(evidence).length === 0 ? found : { ...found, evidence }) as Finding;
}

/** All that rows say but whose they are; `supersedes` is null where nothing changed. */
export function linesOf(all: readonly ReplayedRows[]): string[] {
  const text = (table: string, row: object) =>
    `${table} ${JSON.stringify({ ...row, replay_id: '' }, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
    )}`;
  return all
    .flatMap(({ decisions, rewards, trajectories, audits }) => [
      ...decisions.map((row) => text('decisions', row)),
      ...rewards.map((row) => text('rewards', row)),
      ...trajectories.map((row) => text('trajectories', row)),
      ...audits.map((row) => text('audits', row)),
    ])
    .sort();
}
