import type { Policy } from '../../processors/model/policy.ts';
import type { AttemptReport } from './attempt-report.ts';

/** A class that a policy lets nothing train with, and the trajectories that it rules so. */
export interface RuledFinding {
  readonly class: string;
  readonly becomes: 'drop' | 'quarantine' | 'train_masked';
  readonly trajectories: number;
}

/** Counts what the `findings` of a policy make of trajectories: each by the first class there that it has, as a lane decides it. */
export interface RuledFindings {
  add(report: Pick<AttemptReport, 'findings'>): void;
  /** In the order of the policy; what was not found is not told. */
  list(): RuledFinding[];
}

export function createRuledFindings(findings: Policy['findings']): RuledFindings {
  const counts = new Map<string, number>();
  return {
    add({ findings: found }) {
      if (found.length === 0) return;
      const classes = new Set(found.map((finding) => finding.class));
      for (const name of findings.keys()) {
        if (!classes.has(name)) continue;
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return;
      }
    },
    list: () =>
      [...findings].flatMap(([name, becomes]) => {
        const trajectories = counts.get(name) ?? 0;
        return trajectories === 0 ? [] : [{ class: name, becomes, trajectories }];
      }),
  };
}
