import type { Condition, Exception } from '../model/policy.ts';
import type { DocumentProblem } from '../model/taxonomy.ts';

/** A rule that can never fire, since an earlier one applies wherever it does: one of the two is not what was meant. */
export function contradictions(rules: readonly Exception[]): DocumentProblem[] {
  return rules.flatMap(({ when }, later) => {
    const earlier = rules.findIndex((other, i) => i < later && covers(other.when, when));
    return earlier < 0
      ? []
      : [
          {
            path: `rules[${later}]`,
            otherPath: `rules[${earlier}]`,
            expected: `a case that rules[${earlier}] does not decide already`,
            got: JSON.stringify(when),
          },
        ];
  });
}

const LISTS = ['code', 'category', 'system', 'env', 'run', 'finding', 'attribution'] as const;

/** `wide` holds wherever `narrow` does. */
function covers(wide: Condition, narrow: Condition): boolean {
  const lists = LISTS.every((key) => {
    const allowed: readonly string[] | undefined = wide[key];
    if (allowed === undefined) return true;
    const named: readonly string[] | undefined = narrow[key];
    // A finding is one of several that an attempt may have: only the same list is covered for sure.
    return named?.every((name) => allowed.includes(name)) ?? false;
  });
  const share =
    wide.infraShareAbove === undefined ||
    (narrow.infraShareAbove !== undefined && narrow.infraShareAbove >= wide.infraShareAbove);
  return lists && share && (wide.scored === undefined || wide.scored === narrow.scored);
}
