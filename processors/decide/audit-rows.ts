import type { AuditAnswer, AuditName, Finding } from '../model/audit-summary.ts';
import type { AuditRow } from '../model/effects.ts';

/** Whose rows they are. */
export type AuditedAttempt = Pick<
  AuditRow,
  'run_id' | 'epoch' | 'unit' | 'rollout_id' | 'attempt' | 'replay_id' | 'started_at' | 'partition' | 'offset'
>;

/** A row a finding; one without a class where there is none, which says what a not_auditable one lacked. */
export function auditRows(
  of: AuditedAttempt,
  audit: AuditName,
  { result, findings, missing }: Pick<AuditAnswer, 'findings' | 'missing' | 'result'>,
): AuditRow[] {
  if (result === 'unknown') return [];
  const { run_id, epoch, unit, rollout_id, attempt, replay_id, started_at, partition, offset } = of;
  const rows = findings.length === 0 ? [{ ...NOTHING, detail: missing ?? '' }] : findings;
  return rows.map((finding) => ({
    run_id,
    epoch,
    unit,
    rollout_id,
    attempt,
    replay_id,
    audit,
    result,
    class: finding.class,
    severity: finding.severity,
    turn: finding.turn,
    index: finding.index,
    detail: finding.detail,
    evidence: finding.evidence ?? NO_EVIDENCE,
    started_at,
    partition,
    offset,
  }));
}

const NO_EVIDENCE = {};
const NOTHING: Omit<Finding, 'audit'> = { class: '', severity: 'warn', turn: null, index: null, detail: '' };
