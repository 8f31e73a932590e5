import type { TakeRule } from '../../processors/model/delivery.ts';
import type { Policy, StalenessRule } from '../../processors/model/policy.ts';

/** What may be leased of a run as its policy is now. */
export type TakeRuleOf = (run: string) => Promise<TakeRule>;

/** The policy is asked for again after so long: a lease in a loop must not cost a query each. */
const KEPT_MS = 1_000;

export function createTakeRuleOf(policyNow: () => Promise<Policy>, elapsedMs: () => number): TakeRuleOf {
  let kept: { readonly policy: Promise<Policy>; readonly atMs: number } | null = null;
  return async function takeRuleOf(run) {
    if (kept === null || elapsedMs() - kept.atMs > KEPT_MS) kept = { policy: policyNow(), atMs: elapsedMs() };
    const mine = kept;
    try {
      return takeRule((await mine.policy).scopeOf(run, '').staleness);
    } catch (error) {
      if (kept === mine) kept = null;
      throw error;
    }
  };
}

export function takeRule({ maxLag, unknown, atTake }: StalenessRule): TakeRule {
  return { maxLag, expiresUnknown: unknown !== 'keep', atTake };
}
