import { createDocumentReader, type DocumentReader } from '../model/document.ts';
import type { CodeRule, Policy } from '../model/policy.ts';
import type { Parsed } from '../model/taxonomy.ts';

const DISPOSITIONS = ['train', 'train_masked', 'penalise', 'drop', 'retry', 'quarantine'] as const;

/** A policy from its parsed YAML; `id` is the hash of its text. Each problem names the path, what is allowed and what is there. */
export function readPolicy(document: unknown, id: string): Parsed<Policy> {
  const read = createDocumentReader();
  const top = read.object(document, '');
  read.onlyKeys(top, '', ['format', 'name', 'retries', 'categories', 'codes', 'group']);
  read.oneOf(top.format, 'format', ['rollstream-policy/1']);
  const group = read.object(top.group, 'group');
  read.onlyKeys(group, 'group', ['min_valid', 'baseline', 'divide_by_std', 'ddof', 'eps']);
  return read.result({
    id,
    name: read.text(top.name, 'name'),
    codes: rulesOf(read, top.codes, 'codes'),
    categories: rulesOf(read, top.categories, 'categories'),
    retryLimit: notNegative(read, top.retries, 'retries'),
    group: {
      minValid: notNegative(read, group.min_valid, 'group.min_valid'),
      baseline: read.oneOf(group.baseline, 'group.baseline', ['grpo', 'mean', 'leave_one_out', 'none']),
      divideByStd: read.flag(group.divide_by_std, 'group.divide_by_std'),
      ddof: notNegative(read, group.ddof, 'group.ddof'),
      eps: notNegative(read, group.eps, 'group.eps'),
    },
  });
}

function rulesOf(read: DocumentReader, value: unknown, path: string): Map<string, CodeRule> {
  const rules = new Map<string, CodeRule>();
  for (const [name, body] of Object.entries(read.object(value, path))) {
    const at = `${path}.${name}`;
    const rule = read.object(body, at);
    read.onlyKeys(rule, at, ['disposition', 'awaits_verdict', 'unscored']);
    rules.set(name, {
      disposition: read.oneOf(rule.disposition, `${at}.disposition`, DISPOSITIONS),
      awaitsVerdict: read.flag(rule.awaits_verdict, `${at}.awaits_verdict`),
      unscored: rule.unscored === null ? null : read.finite(rule.unscored, `${at}.unscored`),
    });
  }
  return rules;
}

function notNegative(read: DocumentReader, value: unknown, path: string): number {
  const number = read.finite(value, path);
  if (number < 0) read.problems.push({ path, expected: 'a number from 0 on', got: String(number) });
  return number;
}
