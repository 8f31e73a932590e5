import type { CodeRule, Condition, Exception, Policy, Scope } from '../../processors/model/policy.ts';
import type { Taxonomy } from '../../processors/model/taxonomy.ts';

/** One value that two policies see differently. */
export interface PolicyChange {
  /** `codes.wall_clock`, `findings.silent_repair`, `group`, `rules`, or a section under a condition: `group (env math)`. */
  readonly where: string;
  readonly field: string;
  /** null: the policy does not say it. */
  readonly a: string | null;
  readonly b: string | null;
}

export interface PolicyDiff {
  readonly a: { readonly policy_id: string; readonly name: string };
  readonly b: { readonly policy_id: string; readonly name: string };
  readonly changes: readonly PolicyChange[];
}

/** A run and an environment that a scope of either policy names; empty: any. */
export interface ScopePlace {
  readonly run: string;
  readonly env: string;
}

/** What each code, exception, finding and section would do under both: only what differs. */
export function diffPolicies(
  a: Policy,
  b: Policy,
  taxonomy: Pick<Taxonomy, 'categories'>,
  places: readonly ScopePlace[],
): PolicyDiff {
  return {
    a: { policy_id: a.id, name: a.name },
    b: { policy_id: b.id, name: b.name },
    changes: [
      ...[...taxonomy.categories].flatMap(([code, category]) =>
        changesOf(`codes.${code}`, fieldsOfCode(a, code, category), fieldsOfCode(b, code, category)),
      ),
      ...rulesChanged(a, b),
      ...changesOf('findings', a.findings, b.findings),
      ...changesOf('', limitsOf(a), limitsOf(b)),
      ...scopesChanged(a, b, places),
    ],
  };
}

type Fields = ReadonlyMap<string, string>;

function changesOf(where: string, a: Fields, b: Fields): PolicyChange[] {
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((field) =>
    a.get(field) === b.get(field) ? [] : [{ where, field, a: a.get(field) ?? null, b: b.get(field) ?? null }],
  );
}

function fieldsOfCode(policy: Policy, code: string, category: string): Fields {
  const { rule } = policy.rulesAt({ code, category, system: '', envName: '', runId: '' });
  return new Map(Object.entries(plainRule(rule)).map(([name, value]) => [name, shown(value)]));
}

function plainRule(rule: Partial<CodeRule>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(rule).map(([name, value]) => [snakeCase(name), value]));
}

/** Exceptions are compared whole: which of them applies depends on their order. */
function rulesChanged(a: Policy, b: Policy): PolicyChange[] {
  const [ofA, ofB] = [a.rules.map(exceptionText), b.rules.map(exceptionText)];
  const gone = ofA.flatMap((text, i) =>
    ofB.includes(text) ? [] : [{ where: `rules[${i}]`, field: 'a rule', a: text, b: null }],
  );
  const come = ofB.flatMap((text, i) =>
    ofA.includes(text) ? [] : [{ where: `rules[${i}]`, field: 'a rule', a: null, b: text }],
  );
  const both = (texts: readonly string[], others: readonly string[]) => texts.filter((text) => others.includes(text));
  const isReordered = both(ofA, ofB).join('\n') !== both(ofB, ofA).join('\n');
  const order = isReordered ? [{ where: 'rules', field: 'order', a: orderText(ofA, ofB), b: orderText(ofB, ofA) }] : [];
  return [...gone, ...come, ...order];
}

function orderText(texts: readonly string[], others: readonly string[]): string {
  return texts.flatMap((text, i) => (others.includes(text) ? [`rules[${i}] ${text}`] : [])).join('; ');
}

function exceptionText({ when, override }: Exception): string {
  return `when ${shown(plainCondition(when))} then ${shown(plainRule(override))}`;
}

function plainCondition(when: Condition): Record<string, unknown> {
  return Object.fromEntries(Object.entries(when).map(([name, value]) => [snakeCase(name), value]));
}

function limitsOf({ retryLimit, backoff }: Policy): Fields {
  return new Map([
    ['retries', String(retryLimit)],
    ['backoff.first_ms', String(backoff.firstMs)],
    ['backoff.factor', String(backoff.factor)],
    ['backoff.most_ms', String(backoff.mostMs)],
  ]);
}

function scopesChanged(a: Policy, b: Policy, places: readonly ScopePlace[]): PolicyChange[] {
  const everywhere = changesOf('', sectionsOf(a.scopeOf('', '')), sectionsOf(b.scopeOf('', '')));
  const known = new Set(everywhere.map(({ field, a: ofA, b: ofB }) => `${field} ${ofA} ${ofB}`));
  const further = places.flatMap(({ run, env }) => {
    const at = [run === '' ? '' : `run ${run}`, env === '' ? '' : `env ${env}`]
      .filter((text) => text !== '')
      .join(', ');
    return changesOf(at, sectionsOf(a.scopeOf(run, env)), sectionsOf(b.scopeOf(run, env))).filter(
      ({ field, a: ofA, b: ofB }) => !known.has(`${field} ${ofA} ${ofB}`),
    );
  });
  return [...everywhere, ...further];
}

/** Sections as `group.min_valid` → value. */
function sectionsOf(scope: Scope): Fields {
  const fields = new Map<string, string>();
  for (const [section, values] of Object.entries(scope))
    for (const [name, value] of Object.entries(values)) fields.set(`${section}.${snakeCase(name)}`, shown(value));
  return fields;
}

function shown(value: unknown): string {
  if (value instanceof Map) return JSON.stringify(Object.fromEntries(value));
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeCase(name), part])));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
