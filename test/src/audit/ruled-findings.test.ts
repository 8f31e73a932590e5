import { expect, it } from 'vitest';
import type { Finding } from '../../../processors/model/audit-summary.ts';
import { createRuledFindings } from '../../../src/audit/ruled-findings.ts';

const found = (...classes: string[]): { findings: Finding[] } => ({
  findings: classes.map((name) => ({
    ...({ audit: 'tools', class: name, severity: 'fail', turn: 0, index: 0, detail: name } as const),
  })),
});

it('a trajectory is ruled by the first class of the policy that it has, and once', () => {
  const ruled = createRuledFindings(
    new Map([
      ['silent_repair', 'quarantine'],
      ['args_lost', 'drop'],
      ['parser_loss', 'train_masked'],
    ] as const),
  );
  for (const report of [found('args_lost', 'silent_repair', 'silent_repair'), found('args_lost'), found(), found('x')])
    ruled.add(report);
  expect(ruled.list()).toEqual([
    { class: 'silent_repair', becomes: 'quarantine', trajectories: 1 },
    { class: 'args_lost', becomes: 'drop', trajectories: 1 },
  ]);
});
