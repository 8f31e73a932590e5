import type { RawReason } from '../../schemas/generated/step-event.ts';
import type { Reason } from '../../schemas/generated/trajectory.ts';
import type { FinishMeaning, Taxonomy } from '../model/taxonomy.ts';

/** A raw reason with its code. What the taxonomy does not map stays `unknown`. */
export function classify(taxonomy: Taxonomy, reason: RawReason): Reason {
  const code = taxonomy.exact.get(reason.system)?.get(reason.raw) ?? 'unknown';
  return {
    code,
    category: categoryOf(taxonomy, code),
    raw: reason.raw,
    system: reason.system,
    detail: reason.detail,
    attribution: null,
    after_end: reason.after_end,
  };
}

export function categoryOf(taxonomy: Taxonomy, code: string): string {
  return taxonomy.categories.get(code) ?? 'unknown';
}

/** The reason that decides: the highest in precedence, of equal ones the first; a verifier fault only where it is all there is. */
export function primaryOf(taxonomy: Taxonomy, reasons: readonly Reason[]): Reason | null {
  let best: Reason | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const reason of reasons) {
    const rank = taxonomy.precedence.indexOf(reason.category);
    if (rank >= 0 && rank < bestRank) {
      best = reason;
      bestRank = rank;
    }
  }
  return best ?? reasons[0] ?? null;
}

/** What the engine's last word means; null: no word, or one nobody knows. */
export function finishMeaning(taxonomy: Taxonomy, finishReason: string | null): FinishMeaning | null {
  if (finishReason === null) return null;
  return taxonomy.finishReasons.get(finishTypeOf(finishReason)) ?? null;
}

/** SGLang gives an object whose `type` is the reason; the others give the word itself. */
function finishTypeOf(finishReason: string): string {
  if (!finishReason.startsWith('{')) return finishReason;
  try {
    const parsed: unknown = JSON.parse(finishReason);
    if (typeof parsed === 'object' && parsed !== null && 'type' in parsed && typeof parsed.type === 'string')
      return parsed.type;
  } catch {
    // Not JSON: the word itself.
  }
  return finishReason;
}
