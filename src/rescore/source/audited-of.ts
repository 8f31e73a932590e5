import { AUDIT_NAMES, type Audited, auditedBy, notAuditable } from '../../../processors/model/audit-summary.ts';
import { DEFERRED } from '../../../processors/model/effects.ts';
import type { AuditsSaid, FindingRow } from './row-kinds.ts';

/**
 * What the audits say of an attempt: as when it was decided, or with what those that were deferred said since. `found`: rows of
 * `audits` about it, without those that found nothing where only findings were read.
 */
export function auditedOf(
  { results, missing }: AuditsSaid,
  found: readonly FindingRow[],
  late: 'use' | 'ignore',
): Audited {
  return auditedBy((audit) => {
    const place = AUDIT_NAMES.indexOf(audit);
    const result = results[place] ?? 'unknown';
    const rows = found.filter((row) => row.audit === audit);
    const isDeferred = missing[audit] === DEFERRED;
    const [first] = rows;
    if (isDeferred && (late === 'ignore' || first === undefined)) return notAuditable(DEFERRED);
    const findings = rows.flatMap(({ finding }) => finding ?? []);
    if (isDeferred && first !== undefined)
      return { result: first.result, findings, missing: first.result === 'not_auditable' ? first.missing : null };
    return { result, findings, missing: missing[audit] ?? null };
  });
}
