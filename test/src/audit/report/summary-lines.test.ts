import { expect, it } from 'vitest';
import type { AttemptReport } from '../../../../src/audit/attempt-report.ts';
import type { AuditOutcome } from '../../../../src/audit/audit-outcome.ts';
import { createTally } from '../../../../src/audit/audit-tally.ts';
import { gateVerdict } from '../../../../src/audit/gate-verdict.ts';
import { auditHtml } from '../../../../src/audit/report/html.ts';
import { missingLines, policyLines, summaryLines } from '../../../../src/audit/report/summary-lines.ts';
import { auditText } from '../../../../src/audit/report/text.ts';
import { createRuledFindings } from '../../../../src/audit/ruled-findings.ts';
import { attemptReportOf, findingOf } from '../attempt-report-of.ts';

function outcomeOf(...reports: AttemptReport[]): AuditOutcome {
  const keeper = createTally(() => [], []);
  const ruled = createRuledFindings(new Map([['silent_repair', 'quarantine']] as const));
  for (const report of reports) {
    keeper.add(report, 'a.jsonl');
    ruled.add(report);
  }
  const tally = keeper.tally();
  const rule = { preflight: 0, window: 1, minCount: 1, limits: new Map() };
  return {
    ...{ tally, gate: gateVerdict(tally, { ruleOf: () => rule, names: [], census: true }), sample: null },
    policy: { name: 'ours', findings: ruled.list() },
    counts: { lines: 1, events: 3, refused: 0, repeated: 0, passedOver: 0, faults: {}, files: [] },
    tokenizers: [{ folder: 'models/Q', sha256: 'abc' }],
  };
}

const rendered = attemptReportOf({
  rolloutId: 'a',
  rerender: { prompts: 4, rendered: 3, equal: 2, missing: { 'its tools': 1 } },
});
const repaired = attemptReportOf({ rolloutId: 'b', findings: [findingOf('silent_repair')] });

it('says how many prompts were rendered again, how many are equal, and why others were not', () => {
  const outcome = outcomeOf(rendered, repaired);
  expect(summaryLines(outcome)).toContain('re-rendered 3 of 4 prompts from their messages: 2 equal');
  expect(missingLines(outcome.tally)).toEqual(['prompts that were not re-rendered: its tools: 1 of 4 (25.0 %)']);
});

it('says nothing of prompts where none was looked at', () => {
  expect(summaryLines(outcomeOf(repaired)).join()).not.toContain('re-rendered');
});

it('what the policy would make of findings is in the text and on the page', () => {
  const outcome = outcomeOf(rendered, repaired);
  expect(policyLines(outcome)).toEqual(['quarantine by silent_repair: 1 of 2 (50.0 %)']);
  const text = auditText(outcome, (_colour, plain) => plain);
  expect(text).toContain('What policy ours would make of it\n  quarantine by silent_repair: 1 of 2 (50.0 %)\n');
  expect(auditHtml(outcome)).toContain('<li>quarantine by silent_repair: 1 of 2 (50.0 %)</li>');
  expect(auditHtml(outcomeOf(rendered))).toContain('It keeps nothing from training for what was found.');
});
