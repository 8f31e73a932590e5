import { readFile } from 'node:fs/promises';
import type { GateCounts } from '../../processors/gate/judge-window.ts';
import { createWindowCounter, type MatchSums, type WindowCounter } from '../../processors/gate/window-counter.ts';
import { AUDIT_NAMES, type AuditName, type AuditResult } from '../../processors/model/audit-summary.ts';
import type { Store } from '../clickhouse/port.ts';
import { packageFile } from '../config/package-file.ts';

/** A run whose last trajectories are counted. */
export interface WindowOf {
  readonly runId: string;
  /** Names of its limits. */
  readonly limits: Iterable<string>;
  /** Trajectories decided before are left out, ms since the epoch. */
  readonly fromMs: number;
}

/** As gate_window.sql says. */
interface WindowRow {
  readonly run_id: string;
  readonly trajectories: number;
  readonly is_unknown: boolean | number;
  readonly results: ReadonlyArray<readonly [audit: string, result: AuditResult]>;
  readonly found: ReadonlyArray<readonly [audit: string, name: string, severity: 'fail' | 'warn']>;
  readonly kl_n: number;
  readonly kl_sum: number;
  readonly kl_squares: number;
  readonly diff_n: number;
  readonly diff_sum: number;
  readonly diff_squares: number;
  readonly clipped_n: number;
  readonly clipped_sum: number;
  readonly clipped_squares: number;
}

/** Counts of the last `window` trajectories of each run, by one query for all of them. */
export async function readWindowCounts(
  store: Pick<Store, 'query'>,
  runs: readonly WindowOf[],
  window: number,
): Promise<Map<string, GateCounts>> {
  const counters = new Map<string, WindowCounter>(
    runs.map(({ runId, limits }) => [runId, createWindowCounter(limits)] as const),
  );
  if (runs.length > 0) {
    const sql = await readFile(packageFile('infra', 'clickhouse', 'queries', 'gate_window.sql'), 'utf8');
    const params = { runs: runs.map(({ runId }) => runId), froms: runs.map(({ fromMs }) => fromMs), window };
    for (const row of await store.query<WindowRow>(sql, params)) addTo(counters.get(row.run_id), row);
  }
  return new Map(Array.from(counters, ([runId, counter]) => [runId, counter.counts()] as const));
}

function addTo(counter: WindowCounter | undefined, row: WindowRow): void {
  const results: Partial<Record<AuditName, AuditResult>> = {};
  for (const [name, result] of row.results) {
    const audit = auditOf(name);
    if (audit === undefined) continue;
    const before = results[audit];
    if (before === undefined || rankOf(result) > rankOf(before)) results[audit] = result;
  }
  counter?.add({
    trajectories: row.trajectories,
    isUnknown: Boolean(row.is_unknown),
    results,
    found: row.found.flatMap(([name, found, severity]) => {
      const audit = auditOf(name);
      return audit === undefined ? [] : [{ audit, class: found, severity }];
    }),
    match: {
      match_kl: sums(row.kl_n, row.kl_sum, row.kl_squares),
      match_logprob_diff: sums(row.diff_n, row.diff_sum, row.diff_squares),
      match_clipped: sums(row.clipped_n, row.clipped_sum, row.clipped_squares),
    },
  });
}

/** From what says least to what counts. */
const RANKS: readonly AuditResult[] = ['unknown', 'not_auditable', 'pass', 'warn', 'fail'];

function rankOf(result: AuditResult): number {
  return RANKS.indexOf(result);
}

function auditOf(name: string): AuditName | undefined {
  return AUDIT_NAMES.find((audit) => audit === name);
}

function sums(n: number, sum: number, sumOfSquares: number): MatchSums {
  return { n, sum, sumOfSquares };
}
