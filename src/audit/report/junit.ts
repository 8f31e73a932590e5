import { AUDIT_NAMES, type AuditName, type Finding } from '../../../processors/model/audit-summary.ts';
import type { AttemptReport } from '../attempt-report.ts';
import { evidenceRows } from './evidence-rows.ts';
import type { ReportFile } from './report-file.ts';
import { xmlText } from './xml-text.ts';

/** The report as JUnit XML: a test case is an audit of a trajectory. Written as it comes, in bounded memory. */
export interface JunitReport {
  attempt(report: AttemptReport): Promise<void>;
  /** Writes what is left; keeping the file is its owner's. */
  end(): Promise<void>;
}

/** Room for three counts, which are known at the end; blanks between attributes mean nothing in XML. */
const COUNTS_WIDTH = 96;
const BUFFER_CHARACTERS = 256 * 1024;
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="rollstream audit"';

export function createJunitReport({ handle: file }: ReportFile): JunitReport {
  let buffered = `${HEAD}${' '.repeat(COUNTS_WIDTH)}>\n`;
  const counts = { tests: 0, failures: 0, skipped: 0 };

  async function flush(): Promise<void> {
    const text = buffered;
    buffered = '';
    await file.appendFile(text);
  }

  return {
    async attempt(report) {
      for (const audit of AUDIT_NAMES) {
        const result = report.summary[audit];
        counts.tests++;
        if (result === 'fail') counts.failures++;
        if (result === 'not_auditable') counts.skipped++;
        buffered += testCase(report, audit);
      }
      if (buffered.length >= BUFFER_CHARACTERS) await flush();
    },
    async end() {
      buffered += '</testsuite>\n</testsuites>\n';
      await flush();
      const { tests, failures, skipped } = counts;
      const attributes = ` tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}"`;
      await file.write(Buffer.from(attributes), 0, attributes.length, HEAD.length);
    },
  };
}

function testCase(report: AttemptReport, audit: AuditName): string {
  const { runId, rolloutId, attempt, summary, missing } = report;
  const name = attempt > 0 ? `${rolloutId} attempt ${attempt}` : rolloutId;
  const head = `<testcase classname="${xmlText(`${audit}.${runId}`)}" name="${xmlText(name)}"`;
  const findings = report.findings.filter((finding) => finding.audit === audit);
  const told = findings.map(findingText).join('\n\n');
  switch (summary[audit]) {
    case 'fail': {
      const worst = findings.find(({ severity }) => severity === 'fail') ?? findings[0];
      const about = ` type="${xmlText(worst?.class ?? audit)}" message="${xmlText(worst?.detail ?? '')}"`;
      return `${head}><failure${about}>${xmlText(told)}</failure></testcase>\n`;
    }
    case 'warn':
      return `${head}><system-out>${xmlText(told)}</system-out></testcase>\n`;
    case 'not_auditable':
      return `${head}><skipped message="${xmlText(`not auditable: ${missing[audit] ?? ''}`)}"/>${told === '' ? '' : `<system-out>${xmlText(told)}</system-out>`}</testcase>\n`;
    default:
      return `${head}/>\n`;
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
