import type { GateAction, GateLimit, GateRule } from '../model/gate.ts';
import { wilsonInterval, Z_95 } from './wilson-interval.ts';

/** Trajectories that were looked at for a limit, and those that offend. */
export interface ShareCount {
  readonly n: number;
  readonly hits: number;
  /** Finding classes of those that offend: what a quarantine would name. Absent: none. */
  readonly classes?: readonly string[];
}

/** Values that a trainer reported, for the limits on a mean (`match_*`). */
export interface MeanCount {
  readonly n: number;
  readonly sum: number;
  readonly sumOfSquares: number;
}

export type GateCount = ShareCount | MeanCount;

/** What a window holds. */
export interface GateCounts {
  readonly trajectories: number;
  /** By name of the limit; absent: nothing could be looked at. */
  readonly rates: ReadonlyMap<string, GateCount>;
}

/** A limit against what was counted. */
export interface Rate {
  readonly limit: string;
  readonly bound: 'max' | 'min';
  readonly bound_at: number;
  /** Share of `n`, or their mean; null: nothing was looked at. */
  readonly rate: number | null;
  /** 95 %; of a census both are the rate. */
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
  /** null: a mean has none. */
  readonly hits: number | null;
}

export interface Tripped extends Rate {
  readonly becomes: GateAction;
  readonly classes: readonly string[];
}

export type Verdict = 'pass' | GateAction;

export interface GateVerdict {
  /** The worst of what tripped. */
  readonly verdict: Verdict;
  /** Fewer trajectories say nothing. */
  readonly enough: boolean;
  readonly trajectories: number;
  readonly tripped: readonly Tripped[];
  /** Every limit of the rule, in its order. */
  readonly rates: readonly Rate[];
}

/** From the mildest on. */
const VERDICTS: readonly Verdict[] = ['pass', 'warn', 'quarantine', 'hold'];

/**
 * A limit trips when the 95 % interval lies wholly beyond it: with `max: 0` one hit trips, and a rate near its limit waits for
 * more. `census`: all there is was looked at, so the interval is the rate itself, and there is no minimum count.
 */
export function judgeWindow(counts: GateCounts, rule: GateRule, { census }: { census: boolean }): GateVerdict {
  const enough = census || counts.trajectories >= rule.minCount;
  const rates: Rate[] = [];
  const tripped: Tripped[] = [];
  for (const [name, limit] of rule.limits) {
    const count = counts.rates.get(name) ?? null;
    const rate = rateOf(name, limit, count, rule.minCount, census);
    rates.push(rate);
    if (!enough || !isBeyond(rate)) continue;
    const classes = count !== null && 'hits' in count ? (count.classes ?? []) : [];
    tripped.push({ ...rate, becomes: actionOf(limit, classes), classes });
  }
  const worst = Math.max(0, ...tripped.map(({ becomes }) => VERDICTS.indexOf(becomes)));
  return { verdict: VERDICTS[worst] ?? 'pass', enough, trajectories: counts.trajectories, tripped, rates };
}

/** A quarantine needs classes to name; where what tripped is no finding (an unknown reason, too little audited), all is held. */
function actionOf({ becomes }: GateLimit, classes: readonly string[]): GateAction {
  return becomes === 'quarantine' && classes.length === 0 ? 'hold' : becomes;
}

function isBeyond({ bound, bound_at, low, high }: Rate): boolean {
  if (low === null || high === null) return false;
  return bound === 'max' ? low > bound_at : high < bound_at;
}

function rateOf(limit: string, of: GateLimit, count: GateCount | null, minCount: number, census: boolean): Rate {
  const bound = of.max === null ? 'min' : 'max';
  const named = { limit, bound, bound_at: of.max ?? of.min ?? 0 } as const;
  if (count === null || count.n === 0) return { ...named, rate: null, low: null, high: null, n: 0, hits: null };
  if (!('hits' in count)) return { ...named, ...meanOf(count, minCount, census), n: count.n, hits: null };
  const rate = count.hits / count.n;
  const { low, high } = census ? { low: rate, high: rate } : wilsonInterval(count.hits, count.n);
  return { ...named, rate, low, high, n: count.n, hits: count.hits };
}

/** Normal interval of a mean; of fewer values than the minimum count it says nothing, so there is none. */
function meanOf({ n, sum, sumOfSquares }: MeanCount, minCount: number, census: boolean) {
  const mean = sum / n;
  if (census) return { rate: mean, low: mean, high: mean };
  if (n < Math.max(2, minCount)) return { rate: mean, low: null, high: null };
  const variance = Math.max(0, (sumOfSquares - n * mean * mean) / (n - 1));
  const reach = Z_95 * Math.sqrt(variance / n);
  return { rate: mean, low: mean - reach, high: mean + reach };
}
