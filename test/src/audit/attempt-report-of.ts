import type { Finding } from '../../../processors/model/audit-summary.ts';
import type { AttemptReport } from '../../../src/audit/attempt-report.ts';

/** A clean rollout of one model call, but for what is given. */
export function attemptReportOf(over: Partial<AttemptReport> = {}): AttemptReport {
  return {
    ...{ runId: 'run', envName: 'env', epoch: 0, groupId: null, rolloutId: 'x', attempt: 0, file: null, line: 1 },
    ...{ code: 'task_complete', category: 'completion', modelCalls: 1, sampledTokens: 3, namesTokenizer: true },
    summary: {
      ...{ tokens: 'pass', template: 'pass', tools: 'pass', termination: 'pass' },
      ...{ numbers: 'pass', wall: 'pass', reencode: 'pass' },
    },
    ...{ missing: {}, findings: [], reencode: null, rerender: null, numbering: null, sampleHash: null, file: null },
    ...over,
  };
}

export const findingOf = (name: string, over: Partial<Finding> = {}): Finding => ({
  ...{ audit: 'tools', class: name, severity: 'warn', turn: 0, index: 0, detail: name },
  ...over,
});
