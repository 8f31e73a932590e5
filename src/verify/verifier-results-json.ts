import { bad, isObject, nameOf, onlyFields, optional } from '../server/request-value.ts';
import { isStatus, reportOf, rewardsOf } from './answer-of.ts';
import type { VerifierAnswer } from './verifier.ts';
import { type KeptAnswer, MOST_RESULTS, type VerifierId } from './verifier-cache.ts';

/** An answer as it travels. */
export interface VerifierResultJson {
  readonly content_hash: string;
  readonly status: string;
  readonly rewards: Readonly<Record<string, number | null>>;
  readonly report: string | null;
  readonly cost: number | null;
  readonly duration_ms: number;
}

const FIELDS = ['content_hash', 'status', 'rewards', 'report', 'cost', 'duration_ms'];

export function resultJsonOf(hash: string, { durationMs, ...answer }: VerifierAnswer): VerifierResultJson {
  return { content_hash: hash, ...answer, duration_ms: durationMs };
}

export function verifierIdOf(body: Record<string, unknown>): VerifierId {
  return { scorer: nameOf(body, 'scorer'), version: nameOf(body, 'version') };
}

export function hashesOf(body: Record<string, unknown>): string[] {
  return listOf(body, 'hashes').map((hash, i) => hashOf(hash, `hashes[${i}]`));
}

export function resultsOf(body: Record<string, unknown>): KeptAnswer[] {
  return listOf(body, 'results').map((item, i) => {
    const field = `results[${i}]`;
    if (!isObject(item)) throw bad(field, `${field}: an object is needed`);
    onlyFields(item, FIELDS, `${field}.`);
    if (!isStatus(item.status)) throw bad(`${field}.status`, `${field}.status: a status of a verdict is needed`);
    const rewards = rewardsOf({ rewards: item.rewards ?? {} });
    if (typeof rewards === 'string') throw bad(`${field}.rewards`, `${field}.${rewards}`);
    const number = (name: string) => numberOf(item, name, field);
    const { status, report } = item;
    return {
      hash: hashOf(item.content_hash, `${field}.content_hash`),
      answer: {
        ...{ status, rewards, report: reportOf(report), cost: optional(item, 'cost', (_, name) => number(name)) },
        durationMs: number('duration_ms'),
      },
    };
  });
}

function listOf(body: Record<string, unknown>, field: string): readonly unknown[] {
  const list: unknown = body[field];
  if (Array.isArray(list) && list.length <= MOST_RESULTS) return list;
  throw bad(field, `${field}: a list of at most ${MOST_RESULTS} is needed`);
}

function hashOf(value: unknown, field: string): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  throw bad(field, `${field}: a SHA-256 of 64 hexadecimal digits is needed`);
}

function numberOf(item: Record<string, unknown>, name: string, within: string): number {
  const value = item[name];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw bad(`${within}.${name}`, `${within}.${name}: a finite number is needed`);
}
