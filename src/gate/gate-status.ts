import { judgeWindow, type Rate } from '../../processors/gate/judge-window.ts';
import { ruleInState } from '../../processors/gate/next-gate.ts';
import { type GateState, gateOf, NO_GATES } from '../../processors/model/gate.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { Store } from '../clickhouse/port.ts';
import type { GateRow } from '../clickhouse/tables/gates.ts';
import { gateRuleOf } from './gate-rule-of.ts';
import { readHeld } from './held-by-run.ts';
import { readKnownRuns, refuseUnknownRun } from './known-runs.ts';
import { readLastGates } from './last-gates.ts';
import { readWindowCounts } from './window-counts.ts';

/** The gate of a run, as a person asks for it. */
export interface GateStatus {
  readonly run_id: string;
  readonly state: GateState;
  readonly classes: readonly string[];
  /** policy: nobody has changed it yet. */
  readonly by: GateRow['by'] | 'policy';
  /** null: from the beginning. */
  readonly since: string | null;
  /** What tripped, or the reason that a person gave; null: nobody has changed it yet. */
  readonly why: unknown;
  /** Trajectories that wait for it. */
  readonly held: number;
  readonly window: {
    /** null: from the beginning. */
    readonly from: string | null;
    /** The last so many are looked at. */
    readonly size: number;
    readonly min_count: number;
    /** First trajectories that are held back under the policy; 0: none. */
    readonly preflight: number;
    readonly trajectories: number;
    /** Each limit against what the window holds now. */
    readonly rates: ReadonlyArray<Rate & { readonly is_tripped: boolean }>;
  };
}

interface StatusDeps {
  readonly store: Pick<Store, 'query'>;
  /** What decides now. */
  readonly policy: () => Promise<Policy>;
}

const RUNS_A_QUERY = 200;

/** Of one run (RS_NOT_FOUND), or of all. */
export async function readGateStatus({ store, policy }: StatusDeps, runId: string | null): Promise<GateStatus[]> {
  const known = await readKnownRuns(store);
  if (runId !== null && !known.has(runId)) throw refuseUnknownRun(runId, known.keys());
  const runIds = runId === null ? [...known.keys()] : [runId];
  const last = await readLastGates(store, runId);
  const held = await readHeld(store, runId);
  const decides = await policy();
  const asked = runIds.map((id) => {
    const rule = gateRuleOf(decides, id, known.get(id) ?? []);
    const row = last.get(id) ?? null;
    const { state, classes } = row ?? gateOf(NO_GATES, id, rule);
    const judged = ruleInState(rule, { state });
    return { runId: id, limits: judged.limits.keys(), fromMs: row?.windowFromMs ?? 0, row, state, classes, judged };
  });
  const statuses: GateStatus[] = [];
  for (const window of new Set(asked.map(({ judged }) => judged.window))) {
    const ofWindow = asked.filter(({ judged }) => judged.window === window);
    for (let at = 0; at < ofWindow.length; at += RUNS_A_QUERY) {
      const some = ofWindow.slice(at, at + RUNS_A_QUERY);
      const counts = await readWindowCounts(store, some, window);
      for (const { runId: id, fromMs, row, state, classes, judged } of some) {
        const verdict = judgeWindow(counts.get(id) ?? NOTHING, judged, { census: false });
        const isTripped = new Set(verdict.tripped.map(({ limit }) => limit));
        statuses.push({
          run_id: id,
          state,
          classes,
          by: row?.by ?? 'policy',
          since: row === null ? null : new Date(row.atMs).toISOString(),
          why: row === null ? null : JSON.parse(row.why_json),
          held: held.get(id) ?? 0,
          window: {
            from: fromMs === 0 ? null : new Date(fromMs).toISOString(),
            size: window,
            min_count: judged.minCount,
            preflight: judged.preflight,
            trajectories: verdict.trajectories,
            rates: verdict.rates.map((rate) => ({ ...rate, is_tripped: isTripped.has(rate.limit) })),
          },
        });
      }
    }
  }
  return statuses.sort((a, b) => (a.run_id < b.run_id ? -1 : 1));
}

const NOTHING = { trajectories: 0, rates: new Map() };
