import { createDocumentReader, type DocumentReader } from '../model/document.ts';
import type { CodeRule, Condition, Exception, Policy, Scope } from '../model/policy.ts';
import type { Parsed } from '../model/taxonomy.ts';
import { neverExpires } from './never-expires.ts';
import { contradictions } from './policy-contradictions.ts';
import { DEFAULT_SCOPE, readScope, SCOPE_KEYS } from './policy-sections.ts';
import { createRulesAt } from './rules-at.ts';

const DISPOSITIONS = ['train', 'train_masked', 'penalise', 'drop', 'retry', 'quarantine'] as const;
const OPTIONAL = ['penalty', 'required', 'in_baseline', 'retries'] as const;
const ALL = ['disposition', 'awaits_verdict', 'unscored', ...OPTIONAL] as const;

/** A policy from its parsed YAML; `id` is the hash of its text. Each problem names the path, what is allowed and what is there. */
export function readPolicy(document: unknown, id: string): Parsed<Policy> {
  const read = createDocumentReader();
  const top = read.object(document, '');
  read.onlyKeys(top, '', [
    'format',
    'name',
    'retries',
    'backoff',
    'categories',
    'codes',
    'rules',
    'findings',
    'audits',
    ...SCOPE_KEYS,
    'scopes',
  ]);
  read.oneOf(top.format, 'format', ['rollstream-policy/1']);
  const name = read.text(top.name, 'name');
  const codes = codeRules(read, top.codes, 'codes');
  const categories = codeRules(read, top.categories, 'categories');
  const rules = rulesIn(read, top.rules);
  const findings = findingsIn(read, top.findings);
  read.problems.push(...contradictions(rules, findings), ...neverExpires(top));
  return read.result({
    id,
    name,
    codes,
    categories,
    rules,
    rulesAt: createRulesAt({ codes, categories, rules }),
    findings,
    awaitedAudits: awaitedIn(read, top.audits),
    retryLimit: read.count(top.retries, 'retries'),
    backoff: backoffIn(read, top.backoff),
    scopeOf: scopesIn(read, top),
  });
}

function codeRules(read: DocumentReader, value: unknown, path: string): Map<string, CodeRule> {
  const rules = new Map<string, CodeRule>();
  for (const [name, body] of Object.entries(read.object(value, path))) {
    const at = `${path}.${name}`;
    const rule = read.object(body, at);
    read.onlyKeys(rule, at, ALL);
    rules.set(name, {
      disposition: read.oneOf(rule.disposition, `${at}.disposition`, DISPOSITIONS),
      awaitsVerdict: read.flag(rule.awaits_verdict, `${at}.awaits_verdict`),
      unscored: numberOrNull(read, rule.unscored, `${at}.unscored`),
      penalty: 0,
      required: null,
      inBaseline: true,
      retries: null,
      ...optionalParts(read, rule, at),
    });
  }
  return rules;
}

function optionalParts(read: DocumentReader, rule: Record<string, unknown>, at: string): Partial<CodeRule> {
  return {
    ...(rule.penalty === undefined ? {} : { penalty: read.finite(rule.penalty, `${at}.penalty`) }),
    ...(rule.required === undefined ? {} : { required: read.texts(rule.required, `${at}.required`) }),
    ...(rule.in_baseline === undefined ? {} : { inBaseline: read.flag(rule.in_baseline, `${at}.in_baseline`) }),
    ...(rule.retries === undefined ? {} : { retries: read.count(rule.retries, `${at}.retries`) }),
  };
}

function rulesIn(read: DocumentReader, value: unknown): Exception[] {
  if (value === undefined) return [];
  const rules = upTo(read, read.list(value, 'rules'), 'rules', MOST_RULES).map((body, i) => {
    const at = `rules[${i}]`;
    const rule = read.object(body, at);
    read.onlyKeys(rule, at, ['when', 'then']);
    const then = read.object(rule.then, `${at}.then`);
    read.onlyKeys(then, `${at}.then`, ALL);
    if (Object.keys(then).length === 0)
      read.problems.push({ path: `${at}.then`, expected: `at least one of ${ALL.join(', ')}`, got: 'nothing' });
    return {
      when: conditionOf(read, rule.when, `${at}.when`),
      override: {
        ...(then.disposition === undefined
          ? {}
          : { disposition: read.oneOf(then.disposition, `${at}.then.disposition`, DISPOSITIONS) }),
        ...(then.awaits_verdict === undefined
          ? {}
          : { awaitsVerdict: read.flag(then.awaits_verdict, `${at}.then.awaits_verdict`) }),
        ...(then.unscored === undefined ? {} : { unscored: numberOrNull(read, then.unscored, `${at}.then.unscored`) }),
        ...optionalParts(read, then, `${at}.then`),
      },
    };
  });
  const names = rules.reduce((sum, { when }) => sum + LISTS.reduce((n, key) => n + (when[key]?.length ?? 0), 0), 0);
  if (names <= MOST_NAMES) return rules;
  read.problems.push({ path: 'rules', expected: `at most ${MOST_NAMES} names in all of when`, got: String(names) });
  return [];
}

/** Each rule is compared with those before it. */
const MOST_RULES = 2_000;
const MOST_NAMES = 20_000;

function upTo<T>(read: DocumentReader, list: readonly T[], path: string, most: number): readonly T[] {
  if (list.length <= most) return list;
  read.problems.push({ path, expected: `at most ${most} ${path}`, got: String(list.length) });
  return [];
}

/** Runs and environments are named by producers: a memory of all of them would grow without end. */
const MOST_REMEMBERED = 4_096;

const LISTS = ['code', 'category', 'system', 'env', 'run', 'finding'] as const;

function conditionOf(read: DocumentReader, value: unknown, at: string): Condition {
  const when = read.object(value, at);
  read.onlyKeys(when, at, [...LISTS, 'attribution', 'infra_share_above', 'infra_share_at_most', 'scored']);
  const lists = Object.fromEntries(
    LISTS.flatMap((key) => (when[key] === undefined ? [] : [[key, read.texts(when[key], `${at}.${key}`)]])),
  );
  return {
    ...lists,
    ...(when.attribution === undefined
      ? {}
      : {
          attribution: read
            .texts(when.attribution, `${at}.attribution`)
            .map((name) => read.oneOf(name, `${at}.attribution`, ['policy', 'env', 'unknown'] as const)),
        }),
    ...(when.infra_share_above === undefined
      ? {}
      : { infraShareAbove: shareOf(read, when.infra_share_above, `${at}.infra_share_above`) }),
    ...(when.infra_share_at_most === undefined
      ? {}
      : { infraShareAtMost: shareOf(read, when.infra_share_at_most, `${at}.infra_share_at_most`) }),
    ...(when.scored === undefined ? {} : { scored: read.flag(when.scored, `${at}.scored`) }),
  };
}

function findingsIn(read: DocumentReader, value: unknown): Policy['findings'] {
  if (value === undefined) return new Map();
  return new Map(
    Object.entries(read.object(value, 'findings')).map(([name, becomes]) => [
      name,
      read.oneOf(becomes, `findings.${name}`, ['drop', 'quarantine', 'train_masked'] as const),
    ]),
  );
}

function awaitedIn(read: DocumentReader, value: unknown): Policy['awaitedAudits'] {
  if (value === undefined) return new Set();
  const body = read.object(value, 'audits');
  read.onlyKeys(body, 'audits', ['await']);
  const names = body.await === undefined ? [] : read.texts(body.await, 'audits.await');
  return new Set(names.map((name) => read.oneOf(name, 'audits.await', AWAITABLE)));
}

/** The others are made in the lane itself, of every attempt. */
const AWAITABLE = ['tokens', 'template', 'tools', 'reencode'] as const;

function backoffIn(read: DocumentReader, value: unknown): Policy['backoff'] {
  if (value === undefined) return { firstMs: 0, factor: 2, mostMs: 60_000 };
  const body = read.object(value, 'backoff');
  read.onlyKeys(body, 'backoff', ['first_ms', 'factor', 'most_ms']);
  return {
    firstMs: read.notNegative(body.first_ms, 'backoff.first_ms'),
    factor: read.positive(body.factor, 'backoff.factor'),
    mostMs: read.notNegative(body.most_ms, 'backoff.most_ms'),
  };
}

/** The sections at the top, overridden by each of `scopes` that applies, in order. */
function scopesIn(read: DocumentReader, top: Record<string, unknown>): Policy['scopeOf'] {
  const base = readScope(read, top, '', DEFAULT_SCOPE);
  const bodies = top.scopes === undefined ? [] : upTo(read, read.list(top.scopes, 'scopes'), 'scopes', MOST_RULES);
  const scopes = bodies.map((value, i) => {
    const at = `scopes[${i}]`;
    const body = read.object(value, at);
    read.onlyKeys(body, at, ['when', ...SCOPE_KEYS]);
    const when = read.object(body.when, `${at}.when`);
    read.onlyKeys(when, `${at}.when`, ['env', 'run']);
    const named = (key: 'env' | 'run') => (when[key] === undefined ? null : read.texts(when[key], `${at}.when.${key}`));
    // Read once for its problems; again over what earlier scopes said, for its values.
    readScope(read, body, at, base);
    return { body, at, env: named('env'), run: named('run') };
  });
  const known = new Map<string, Scope>();
  return (runId, envName) => {
    if (scopes.length === 0) return base;
    const key = `${runId}\u0000${envName}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const scope = scopes
      .filter(({ env, run }) => (env?.includes(envName) ?? true) && (run?.includes(runId) ?? true))
      .reduce((sum, { body, at }) => readScope(createDocumentReader(), body, at, sum), base);
    known.set(key, scope);
    return scope;
  };
}

function shareOf(read: DocumentReader, value: unknown, path: string): number {
  const share = read.notNegative(value, path);
  if (share > 1) read.problems.push({ path, expected: 'a share from 0 to 1', got: String(share) });
  return share;
}

function numberOrNull(read: DocumentReader, value: unknown, path: string): number | null {
  return value === null ? null : read.finite(value, path);
}
