import { describe, expect, it } from 'vitest';
import { auditedOf } from '../../../../src/rescore/source/audited-of.ts';
import type { AuditsSaid, FindingRow } from '../../../../src/rescore/source/row-kinds.ts';

/** Decided when the re-encoding was still to come, and the template could not be looked at. */
const DECIDED: AuditsSaid = {
  results: ['pass', 'not_auditable', 'warn', 'pass', 'pass', 'pass', 'not_auditable'],
  missing: { template: 'no template', reencode: 'deferred' },
};
const place = { unit: 'u', rollout_id: 'r', attempt: 0, missing: '' };
const at = { severity: 'warn', turn: 1, index: null, detail: 'why' } as const;
const REPAIR: FindingRow = {
  ...{ ...place, audit: 'tools', result: 'warn' },
  finding: { audit: 'tools', class: 'silent_repair', ...at },
};
const DRIFT: FindingRow = {
  ...{ ...place, audit: 'reencode', result: 'warn' },
  finding: { audit: 'reencode', class: 'reencode_drift', ...at },
};

describe('what the audits said', () => {
  it('is what they had said when it was decided, where what came late is ignored', () => {
    const { summary, missing, findings } = auditedOf(DECIDED, [REPAIR, DRIFT], 'ignore');
    expect(summary).toMatchObject({
      tokens: 'pass',
      template: 'not_auditable',
      tools: 'warn',
      reencode: 'not_auditable',
    });
    expect(missing).toEqual({ template: 'no template', reencode: 'deferred' });
    expect(findings.map((finding) => finding.class)).toEqual(['silent_repair']);
  });

  it('is with what deferred ones found since, where that counts', () => {
    const { summary, missing, findings } = auditedOf(DECIDED, [REPAIR, DRIFT], 'use');
    expect(summary.reencode).toBe('warn');
    expect(missing).toEqual({ template: 'no template' });
    expect(findings.map((finding) => finding.class)).toEqual(['silent_repair', 'reencode_drift']);
  });

  it('of a deferred one that found nothing is that it passed, and of one that has not come that it is deferred', () => {
    const passed: FindingRow = { ...place, audit: 'reencode', result: 'pass', finding: null };
    expect(auditedOf(DECIDED, [passed], 'use').summary.reencode).toBe('pass');
    expect(auditedOf(DECIDED, [], 'use').missing).toEqual({ template: 'no template', reencode: 'deferred' });
  });
});
