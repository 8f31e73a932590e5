import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { AuditName } from '../../../processors/model/audit-summary.ts';
import type { AuditRow } from '../../../processors/model/effects.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { createTestLane } from '../harness.ts';

/** What one audit said of an attempt that was folded and decided by the shipped documents. */
export interface StreamAudited {
  readonly result: string;
  /** What it lacked; null: nothing. */
  readonly missing: string | null;
  readonly findings: readonly AuditRow[];
  /** `class severity turn index`. */
  readonly said: readonly string[];
}

export function streamAudited(audit: AuditName, ...events: readonly StepEventInit[]): StreamAudited {
  const lane = createTestLane({ audits: createStreamAudits() });
  lane.fold(...events);
  const rows = lane.effects().rows.audits.filter((row) => row.audit === audit);
  const findings = rows.filter((row) => row.class !== '');
  const [first] = rows;
  if (first === undefined) throw new Error('it was not audited');
  return {
    result: first.result,
    missing: lane.effects().rows.trajectories[0]?.trajectory.audit_missing?.[audit] ?? null,
    findings,
    said: findings.map(({ class: name, severity, turn, index }) => `${name} ${severity} ${turn} ${index}`),
  };
}
