import type { Policy } from '../model/policy.ts';
import type { DocumentProblem, Taxonomy } from '../model/taxonomy.ts';
import { contradictions } from './policy-contradictions.ts';

/** What a policy says of codes and categories that the taxonomy does not have, and which of them it says nothing of. */
export function policyAgainstTaxonomy(
  policy: Policy,
  taxonomy: Pick<Taxonomy, 'categories' | 'rank'>,
): DocumentProblem[] {
  const codes = [...taxonomy.categories.keys()];
  const categories = [...new Set([...taxonomy.categories.values(), ...taxonomy.rank.keys()])];
  const unknown = (path: string, kind: 'code' | 'category', name: string, allowed: readonly string[]) =>
    allowed.includes(name) ? [] : [{ path, expected: `a ${kind} of the taxonomy`, got: name, allowed }];
  const categoryOf = (code: string) => taxonomy.categories.get(code);
  return [
    ...[...policy.codes.keys()].flatMap((code) => unknown(`codes.${code}`, 'code', code, codes)),
    ...[...policy.categories.keys()].flatMap((name) => unknown(`categories.${name}`, 'category', name, categories)),
    ...policy.rules.flatMap(({ when }, i) => [
      ...(when.code ?? []).flatMap((code, n) => unknown(`rules[${i}].when.code[${n}]`, 'code', code, codes)),
      ...(when.category ?? []).flatMap((name, n) =>
        unknown(`rules[${i}].when.category[${n}]`, 'category', name, categories),
      ),
      ...foreignCodes(policy, i, categoryOf),
    ]),
    // A category without a rule would be quarantined unasked.
    ...[...new Set(taxonomy.categories.values())]
      .filter((name) => !policy.categories.has(name))
      .map((name) => ({ path: 'categories', expected: `a rule for ${name}, which the taxonomy has`, got: 'none' })),
    ...contradictions(policy.rules, policy.findings, categoryOf),
  ];
}

/** A rule of codes none of which is of its categories. */
function foreignCodes(policy: Policy, i: number, categoryOf: (code: string) => string | undefined): DocumentProblem[] {
  const when = policy.rules[i]?.when;
  const { code, category } = when ?? {};
  if (code === undefined || category === undefined) return [];
  const known = code.filter((name) => categoryOf(name) !== undefined);
  if (known.length === 0 || known.some((name) => category.includes(categoryOf(name) ?? ''))) return [];
  return [
    {
      path: `rules[${i}].when.code`,
      otherPath: `rules[${i}].when.category`,
      expected: `a code of ${category.join(', ')}`,
      got: known.map((name) => `${name} of ${categoryOf(name)}`).join(', '),
    },
  ];
}
