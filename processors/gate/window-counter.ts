import { AUDIT_NAMES, type AuditName, type AuditResult } from '../model/audit-summary.ts';
import type { GateCount, GateCounts } from './judge-window.ts';

/** Trajectories that are alike in all that a gate looks at. */
export interface Alike {
  readonly trajectories: number;
  /** Their category is unknown. */
  readonly isUnknown: boolean;
  /** By audit; absent: it did not look. */
  readonly results: Readonly<Partial<Record<AuditName, AuditResult>>>;
  readonly found: ReadonlyArray<{
    readonly audit: AuditName;
    readonly class: string;
    readonly severity: 'fail' | 'warn';
  }>;
  /** Sums of what a trainer reported of them, by limit; absent: nothing. */
  readonly match?: Readonly<Record<MatchLimit, MatchSums>>;
}

export interface MatchSums {
  readonly n: number;
  readonly sum: number;
  readonly sumOfSquares: number;
}

/** Limits on the mean of what a trainer reported: KL estimate, largest |Δ logprob| and clipped share of each trajectory. */
export const MATCH_LIMITS = ['match_kl', 'match_logprob_diff', 'match_clipped'] as const;
export type MatchLimit = (typeof MATCH_LIMITS)[number];

/** What was executed is not what the model wrote, whatever the parser made of it. */
export const EXECUTED_REPAIRS = ['silent_repair', 'args_lost', 'think_call_executed', 'executed_without_call'] as const;

export interface WindowCounter {
  add(alike: Alike): void;
  counts(): GateCounts;
}

/** Counts a window, or a whole file, for any limit: the one place that says what each name counts among what. */
export function createWindowCounter(limits: Iterable<string>): WindowCounter {
  const names = [...limits];
  let trajectories = 0;
  let unknown = 0;
  let templateFailures = 0;
  let reencodeDrift = 0;
  let repairs = 0;
  const looked = new Map<AuditName, number>();
  /** By class: trajectories that have it, the audit that found it, and whether it ever failed. */
  const byClass = new Map<string, ClassCount>();
  const match = new Map<MatchLimit, MatchSums>();

  const shareOf = (name: string): GateCount => {
    const among = (audit: AuditName) => looked.get(audit) ?? 0;
    switch (name) {
      case 'unknown_reasons':
        return { n: trajectories, hits: unknown };
      case 'auditable_coverage':
        return { n: trajectories, hits: among('tokens') };
      case 'template_failures':
        return { n: among('template'), hits: templateFailures, classes: failingOf(byClass, 'template') };
      case 'reencode_drift':
        return { n: among('reencode'), hits: reencodeDrift, classes: classesOf(byClass, 'reencode') };
      case 'executed_repairs':
        return { n: among('tools'), hits: repairs, classes: EXECUTED_REPAIRS.filter((one) => byClass.has(one)) };
    }
    const found = byClass.get(name);
    const audit = found?.audit ?? AUDIT_OF.get(name);
    const n = audit === undefined ? Math.max(0, ...looked.values()) : among(audit);
    return { n, hits: found?.hits ?? 0, classes: [name] };
  };

  return {
    add({ trajectories: n, isUnknown, results, found, match: reported }) {
      trajectories += n;
      if (isUnknown) unknown += n;
      for (const audit of AUDIT_NAMES) if (hasLooked(results[audit])) looked.set(audit, (looked.get(audit) ?? 0) + n);
      if (results.template === 'fail') templateFailures += n;
      if (results.reencode === 'warn' || results.reencode === 'fail') reencodeDrift += n;
      const classes = new Map<string, Pick<ClassCount, 'audit' | 'fails'>>();
      for (const { class: name, audit, severity } of found)
        classes.set(name, { audit, fails: severity === 'fail' || classes.get(name)?.fails === true });
      if (hasLooked(results.tools) && EXECUTED_REPAIRS.some((one) => classes.has(one))) repairs += n;
      for (const [name, { audit, fails }] of classes) {
        const known = byClass.get(name) ?? { hits: 0, audit, fails: false };
        byClass.set(name, { hits: known.hits + n, audit, fails: known.fails || fails });
      }
      for (const limit of MATCH_LIMITS) {
        const sums = reported?.[limit];
        if (sums !== undefined && sums.n > 0) match.set(limit, joined(match.get(limit), sums));
      }
    },
    counts() {
      const rates = new Map<string, GateCount>();
      for (const name of names) {
        const limit = MATCH_LIMITS.find((one) => one === name);
        const count = limit === undefined ? shareOf(name) : match.get(limit);
        if (count !== undefined) rates.set(name, count);
      }
      return { trajectories, rates };
    },
  };
}

/** Where a class belongs, so that "never found" has a denominator. */
const AUDIT_OF: ReadonlyMap<string, AuditName> = new Map<string, AuditName>([
  ['pipeline_drift', 'tokens'],
  ...(
    [
      'silent_repair',
      'args_lost',
      'think_call_executed',
      'executed_without_call',
      'parser_loss',
      'coerced',
      'malformed',
      'malformed_not_fed_back',
      'unknown_tool',
      'call_not_executed',
    ] as const
  ).map((name) => [name, 'tools'] as const),
]);

function hasLooked(result: AuditResult | undefined): boolean {
  return result === 'pass' || result === 'warn' || result === 'fail';
}

interface ClassCount {
  readonly hits: number;
  readonly audit: AuditName;
  readonly fails: boolean;
}

/** A quarantine for what failed must not take those that only warn. */
function failingOf(byClass: ReadonlyMap<string, ClassCount>, audit: AuditName): string[] {
  return classesOf(byClass, audit).filter((name) => byClass.get(name)?.fails === true);
}

function classesOf(byClass: ReadonlyMap<string, { readonly audit: AuditName }>, audit: AuditName): string[] {
  return [...byClass].flatMap(([name, found]) => (found.audit === audit ? [name] : []));
}

function joined(a: MatchSums | undefined, b: MatchSums): MatchSums {
  if (a === undefined) return b;
  return { n: a.n + b.n, sum: a.sum + b.sum, sumOfSquares: a.sumOfSquares + b.sumOfSquares };
}
