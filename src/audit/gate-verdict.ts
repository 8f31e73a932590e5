import { judgeWindow, type Rate, type Tripped, type Verdict } from '../../processors/gate/judge-window.ts';
import type { GateRule } from '../../processors/model/gate.ts';
import type { AuditTally } from './audit-tally.ts';

/** What the gate would say of these trajectories, run by run. */
export interface FileVerdict {
  /** Trajectories that a gate can judge; 0: that nothing tripped says nothing. */
  readonly judged: number;
  /** The worst of the runs. */
  readonly verdict: Verdict;
  readonly tripped: ReadonlyArray<Tripped & { readonly run_id: string }>;
  /** Over all runs, by name. */
  readonly rates: readonly Rate[];
}

const VERDICTS: readonly Verdict[] = ['pass', 'warn', 'quarantine', 'hold'];

export interface VerdictOptions {
  readonly ruleOf: (runId: string) => GateRule;
  /** Rates that are told beside the limits. */
  readonly names: readonly string[];
  /** All there is was looked at: rates are what they are. A sample has intervals. */
  readonly census: boolean;
}

export function gateVerdict(tally: AuditTally, { ruleOf, names, census }: VerdictOptions): FileVerdict {
  let worst = 0;
  const tripped: Array<Tripped & { readonly run_id: string }> = [];
  for (const [run_id, counter] of tally.byRun) {
    const judged = judgeWindow(counter.counts(), { ...ruleOf(run_id), minCount: MIN_COUNT }, { census });
    worst = Math.max(worst, VERDICTS.indexOf(judged.verdict));
    for (const one of judged.tripped) tripped.push({ run_id, ...one });
  }
  const unlimited = {
    preflight: 0,
    window: 1,
    minCount: MIN_COUNT,
    limits: new Map(names.map((name) => [name, NO_LIMIT])),
  };
  const { rates, trajectories: judged } = judgeWindow(tally.all.counts(), unlimited, { census });
  return { judged, verdict: VERDICTS[worst] ?? 'pass', tripped, rates };
}

/** More will not come: the interval alone says how much a small sample tells. */
const MIN_COUNT = 1;

/** Never trips: the rate alone is wanted. */
const NO_LIMIT = { max: Number.POSITIVE_INFINITY, min: null, becomes: 'warn' } as const;
