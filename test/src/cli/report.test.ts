import { expect, it } from 'vitest';
import { reportText } from '../../../src/cli/report.ts';
import type { ExampleRow, ReportData } from '../../../src/cli/report-data.ts';
import type { RunAccounting } from '../../../src/clickhouse/accounting.ts';

const RUN: RunAccounting = {
  run_id: 'run',
  started: 12,
  ready: 7,
  rejected: { unknown: 1, 'retry:env_crash': 2 },
  open: 1,
  held: 0,
  lost: 0,
  superseded: 1,
  balanced: true,
  ready_states: { queued: 7, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 },
  not_taken_in: {},
  inherited: 0,
  re_emitted: 0,
};

const EXAMPLE: ExampleRow = {
  run_id: 'run',
  rollout_id: "it's",
  attempt: 0,
  task_id: 'task',
  disposition: 'quarantine',
  category: 'unknown',
  reason_code: 'termination_conflict',
  reason_raw: 'task_complete',
  finish_reason: '{"type":"abort","message":"update"}',
  verifier_status: 'missing',
  why: ['termination_conflict'],
  reward: null,
  alike: 3,
};

const DATA: ReportData = {
  accounting: { runs: [RUN] },
  categories: [{ category: 'completion', attempts: 8, trained: 7, rewarded: 8, mean: 0.625, zero: 3 }],
  examples: [EXAMPLE],
};

const report = (data: Partial<ReportData>) => reportText({ ...DATA, ...data }, (words) => `npx rollstream ${words}`);

it('says what became of each attempt, the largest reason first, and leaves out what is zero', () => {
  expect(report({}).split('\n').slice(0, 9)).toEqual([
    '12 attempts in one run',
    '  started      12',
    '  → ready       7  for the trainer, in order',
    '  → rejected    3  not trained, kept and explained:',
    '                    2 retry:env_crash',
    '                    1 unknown',
    '  → open        1',
    '  → superseded  1',
    '  balanced: each attempt is in exactly one of these',
  ]);
});

it('does not say balanced when it is not', () => {
  expect(report({ accounting: { runs: [{ ...RUN, balanced: false }] } })).toContain('NOT balanced');
});

it('puts the three facts of an example side by side, with a command that can be pasted', () => {
  const text = report({});
  expect(text).toContain(
    'The loop said task_complete, the engine abort (update), the verifier said nothing; no reward.',
  );
  expect(text).toContain('(and 2 like it)');
  expect(text).toContain("npx rollstream explain 'it'\\''s'");
});

it('tells a mean of nothing from a mean of 0', () => {
  const row = { category: 'env_fault', attempts: 2, trained: 0, rewarded: 0, mean: null, zero: 0 };
  expect(report({ categories: [row] })).toMatch(/env_fault +2 +0 +0 +- +0\n/);
});

it('lets no text of a rollout move the cursor', () => {
  expect(report({ examples: [{ ...EXAMPLE, rollout_id: 'a\x1b[2Jb', reason_raw: 'x\ny' }] })).not.toMatch(
    /\p{Cc}(?<!\n)|x\ny/u,
  );
});

it('has something to say when there is nothing yet', () => {
  expect(report({ accounting: { runs: [] } })).toBe('Nothing has been imported yet.\n');
});
