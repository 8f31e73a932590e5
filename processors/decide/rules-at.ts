import type { CodeRule, Exception, PlacedRule, PlacedRules, Policy, RulePlace } from '../model/policy.ts';
import { holdsAt } from './rules/place.ts';

/** A code nobody has a rule for is looked at, not guessed. */
const NO_RULE: CodeRule = {
  disposition: 'quarantine',
  awaitsVerdict: false,
  unscored: null,
  penalty: 0,
  required: null,
  inBaseline: true,
  retries: null,
};

/** Systems, environments and runs are named by producers: a memory of all of them would grow without end. */
const MOST_REMEMBERED = 4_096;

/** The rules of a policy by place, resolved once: what is left to ask of each attempt is what only it can tell. */
export function createRulesAt({
  codes,
  categories,
  rules,
}: Pick<Policy, 'codes' | 'categories' | 'rules'>): Policy['rulesAt'] {
  const asks = {
    system: rules.some(({ when }) => when.system !== undefined),
    env: rules.some(({ when }) => when.env !== undefined),
    run: rules.some(({ when }) => when.run !== undefined),
  };
  const known = new Map<string, PlacedRules>();
  return function rulesAt(place) {
    const key = keyOf(place, asks);
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const base = baseOf(codes, categories, place);
    const exceptions = rules.flatMap(({ when, override }: Exception, i) =>
      holdsAt(when, place) ? [{ when, rule: { ...base.rule, ...override }, from: `rules[${i}]` }] : [],
    );
    const placed = { ...base, exceptions };
    known.set(key, placed);
    return placed;
  };
}

function keyOf(
  { code, category, system, envName, runId }: RulePlace,
  asks: { readonly system: boolean; readonly env: boolean; readonly run: boolean },
): string {
  let key = `${code}\u0000${category}`;
  if (asks.system) key += `\u0000${system}`;
  if (asks.env) key += `\u0000${envName}`;
  if (asks.run) key += `\u0000${runId}`;
  return key;
}

function baseOf(
  codes: ReadonlyMap<string, CodeRule>,
  categories: ReadonlyMap<string, CodeRule>,
  { code, category }: RulePlace,
): PlacedRule {
  const ofCode = codes.get(code);
  if (ofCode !== undefined) return { rule: ofCode, from: `codes.${code}` };
  const ofCategory = categories.get(category);
  if (ofCategory !== undefined) return { rule: ofCategory, from: `categories.${category}` };
  return { rule: NO_RULE, from: '' };
}
