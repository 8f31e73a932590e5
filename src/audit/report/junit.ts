import { AUDIT_NAMES, type AuditName, type Finding } from '../../../processors/model/audit-summary.ts';
import type { AttemptReport } from '../attempt-report.ts';
import { evidenceRows } from './evidence-rows.ts';
import { createJunitSuite, type JunitCase } from './junit-suite.ts';
import type { ReportFile } from './report-file.ts';

/** The report as JUnit XML: a test case is an audit of a trajectory. Written as it comes, in bounded memory. */
export interface JunitReport {
  attempt(report: AttemptReport): Promise<void>;
  /** Writes what is left; keeping the file is its owner's. */
  end(): Promise<void>;
}

export function createJunitReport(file: ReportFile): JunitReport {
  const suite = createJunitSuite(file, 'rollstream audit');
  return {
    async attempt(report) {
      for (const audit of AUDIT_NAMES) await suite.case(caseOf(report, audit));
    },
    end: suite.end,
  };
}

function caseOf(report: AttemptReport, audit: AuditName): JunitCase {
  const { runId, rolloutId, attempt, summary, missing } = report;
  const findings = report.findings.filter((finding) => finding.audit === audit);
  const name = attempt > 0 ? `${rolloutId} attempt ${attempt}` : rolloutId;
  const place = { className: `${audit}.${runId}`, name };
  const text = findings.map(findingText).join('\n\n');
  switch (summary[audit]) {
    case 'fail': {
      const worst = findings.find(({ severity }) => severity === 'fail') ?? findings[0];
      return { ...place, result: 'fail', type: worst?.class ?? audit, message: worst?.detail ?? '', text };
    }
    case 'warn':
      return { ...place, result: 'pass', text };
    case 'not_auditable':
      return { ...place, result: 'skipped', message: `not auditable: ${missing[audit] ?? ''}`, text };
    default:
      return { ...place, result: 'pass', text: '' };
  }
}

function findingText({ severity, class: name, turn, index, detail, evidence }: Finding): string {
  const place = `${turn === null ? '' : `, turn ${turn}`}${index === null ? '' : `, at ${index}`}`;
  const rows = evidenceRows(evidence).map(
    ({ name: row, ids, text }) =>
      `  ${row}:${ids === null ? '' : ` [${ids.join(' ')}]`}${text === null ? '' : ` ${JSON.stringify(text)}`}`,
  );
  return [`${severity} ${name}${place}: ${detail}`, ...rows].join('\n');
}
