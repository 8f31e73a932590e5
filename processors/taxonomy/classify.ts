import type { RawReason } from '../../schemas/generated/step-event.ts';
import type { Reason } from '../../schemas/generated/trajectory.ts';
import type { AttemptFacts, Attribution } from '../model/attempt-facts.ts';
import type { FinishMeaning, Taxonomy } from '../model/taxonomy.ts';
import { finishWordOf } from './finish-word.ts';

/** A raw reason with its code; a composite says two things, and is two reasons. What is not mapped stays `unknown`. */
export function classify(taxonomy: Taxonomy, reason: RawReason, facts: AttemptFacts | null): readonly Reason[] {
  const codes = taxonomy.codesOf(reason.system, reason.raw);
  return (codes.length === 0 ? UNKNOWN : codes).map((code) => ({
    code,
    category: categoryOf(taxonomy, code),
    raw: reason.raw,
    system: reason.system,
    detail: reason.detail,
    attribution: attributionOf(taxonomy, code, facts),
    after_end: reason.after_end,
  }));
}

const UNKNOWN: readonly string[] = ['unknown'];

/** Whose time-out or memory it was; null: it is neither. */
function attributionOf(taxonomy: Taxonomy, code: string, facts: AttemptFacts | null): Attribution | null {
  const of = taxonomy.attributed.get(code);
  if (of === undefined) return null;
  return (of === 'timeout' ? facts?.timeoutOf : facts?.memoryOf) ?? 'unknown';
}

export function categoryOf(taxonomy: Taxonomy, code: string): string {
  return taxonomy.categories.get(code) ?? 'unknown';
}

/**
 * The reason that decides: the highest in precedence, of equal ones the first; a verifier fault only where it is all there is.
 * What happened after the loop had decided to end is kept and never decides: a clean-up that fails changes nothing.
 */
export function primaryOf(taxonomy: Taxonomy, reasons: readonly Reason[]): Reason | null {
  let best: Reason | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  let first: Reason | null = null;
  for (const reason of reasons) {
    if (reason.after_end === true) continue;
    first ??= reason;
    const rank = taxonomy.rank.get(reason.category);
    if (rank !== undefined && rank < bestRank) {
      best = reason;
      bestRank = rank;
    }
  }
  return best ?? first;
}

/** What the engine's last word means; null: no word, or one nobody knows. */
export function finishMeaning(taxonomy: Taxonomy, finishReason: string | null): FinishMeaning | null {
  if (finishReason === null) return null;
  return taxonomy.finishReasons.get(finishWordOf(finishReason)) ?? null;
}
