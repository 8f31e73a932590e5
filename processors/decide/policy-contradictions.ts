import type { Condition, Exception, Policy } from '../model/policy.ts';
import type { DocumentProblem } from '../model/taxonomy.ts';

/** Rules that can never fire: one of the two places that each problem names is not what was meant. */
export function contradictions(
  rules: readonly Exception[],
  findings: Policy['findings'],
  categoryOf: (code: string) => string | undefined = () => undefined,
): DocumentProblem[] {
  return rules.flatMap(({ when }, i) => {
    const path = `rules[${i}]`;
    const got = JSON.stringify(when);
    const never = neverHolds(when);
    if (never !== null) return [{ path: `${path}.when`, expected: never, got }];
    const ruled = when.finding?.every((name) => findings.has(name)) === true ? when.finding[0] : undefined;
    if (ruled !== undefined)
      return [
        {
          path: `${path}.when.finding`,
          otherPath: `findings.${ruled}`,
          expected: 'a class that findings does not decide already, whatever the rules say',
          got: ruled,
        },
      ];
    const earlier = rules.findIndex((other, j) => j < i && covers(other.when, when, categoryOf));
    if (earlier < 0) return [];
    const expected = `a case that rules[${earlier}] does not decide already`;
    return [{ path, otherPath: `rules[${earlier}]`, expected, got }];
  });
}

const LISTS = ['code', 'category', 'system', 'env', 'run', 'finding', 'attribution'] as const;

function neverHolds(when: Condition): string | null {
  const empty = LISTS.find((key) => when[key]?.length === 0);
  if (empty !== undefined) return `at least one ${empty}`;
  const { infraShareAbove, infraShareAtMost } = when;
  if (infraShareAbove !== undefined && infraShareAbove >= (infraShareAtMost ?? 1))
    return `infra_share_above below ${infraShareAtMost ?? 1}`;
  return null;
}

/** `wide` holds wherever `narrow` does: it asks for nothing that `narrow` does not ask for more narrowly. */
function covers(wide: Condition, narrow: Condition, categoryOf: (code: string) => string | undefined): boolean {
  const lists = LISTS.every((key) => {
    const allowed: readonly string[] | undefined = wide[key];
    if (allowed === undefined) return true;
    const named: readonly string[] | undefined = narrow[key];
    if (named !== undefined) return named.every((name) => allowed.includes(name));
    return key === 'category' && narrow.code?.every((code) => allowed.includes(categoryOf(code) ?? '')) === true;
  });
  const above =
    wide.infraShareAbove === undefined ||
    (narrow.infraShareAbove !== undefined && narrow.infraShareAbove >= wide.infraShareAbove);
  const atMost =
    wide.infraShareAtMost === undefined ||
    (narrow.infraShareAtMost !== undefined && narrow.infraShareAtMost <= wide.infraShareAtMost);
  return lists && above && atMost && (wide.scored === undefined || wide.scored === narrow.scored);
}
