import { readFileSync } from 'node:fs';
import { RollstreamError } from '../../errors.ts';
import { isObject } from '../request-value.ts';
import { ROLES, type Role } from './caller.ts';

/** A token as it is kept: whoever reads the file learns none. */
export interface KeptToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** null: all. */
  readonly runs: readonly string[] | null;
  /** SHA-256 of the token, hex. */
  readonly sha256: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** null: never. */
  readonly expires_at: string | null;
  /** null: it was not. */
  readonly revoked_at: string | null;
}

export interface TokenFile {
  /** 32 bytes, hex, that cookies of the page are sealed with; without a token they open nothing. */
  readonly session_key: string;
  readonly tokens: readonly KeptToken[];
}

const VERSION = 1;
const FIELDS = ['id', 'name', 'role', 'runs', 'sha256', 'created_at', 'expires_at', 'revoked_at'];
const HEX_32 = /^[0-9a-f]{64}$/;

/** null: there is no such file. RS_CONFIG where it cannot be read, or is damaged. */
export function readTokenFile(path: string): TokenFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw damaged(path, `cannot read it: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  return parseTokenFile(path, text);
}

export function tokenFileText({ session_key, tokens }: TokenFile): string {
  return `${JSON.stringify({ version: VERSION, session_key, tokens }, null, 2)}\n`;
}

/** What it does not know it refuses: a limit that only a later version knows must not be passed over. */
function parseTokenFile(path: string, text: string): TokenFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(path, 'it is no JSON');
  }
  if (!isObject(value) || value.version !== VERSION) throw damaged(path, `"version": ${VERSION} is needed`);
  const { session_key, tokens } = value;
  if (typeof session_key !== 'string' || !HEX_32.test(session_key))
    throw damaged(path, 'session_key: 64 digits of hex');
  if (!Array.isArray(tokens)) throw damaged(path, 'tokens: a list is needed');
  const read = tokens.map((token: unknown, index) => tokenOf(path, `tokens[${index}]`, token));
  for (const field of ['id', 'sha256'] as const) {
    const twice = firstTwice(read.map((token) => token[field]));
    if (twice !== -1) throw damaged(path, `tokens[${twice}].${field}: it is there twice`);
  }
  return { session_key, tokens: read };
}

/** The place of the first that was there before; -1: none. Requests wait for it, so that it looks at each once. */
function firstTwice(values: readonly string[]): number {
  const seen = new Set<string>();
  return values.findIndex((value) => {
    const isThere = seen.has(value);
    seen.add(value);
    return isThere;
  });
}

function tokenOf(path: string, at: string, value: unknown): KeptToken {
  if (!isObject(value)) throw damaged(path, `${at}: an object is needed`);
  const unknown = Object.keys(value).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw damaged(path, `${at}.${unknown.slice(0, 100)}: it is not known`);
  const { id, name, runs, sha256 } = value;
  const role = ROLES.find((one) => one === value.role);
  if (typeof id !== 'string' || id === '') throw damaged(path, `${at}.id: text is needed`);
  if (typeof name !== 'string') throw damaged(path, `${at}.name: text is needed`);
  if (role === undefined) throw damaged(path, `${at}.role: one of ${ROLES.join(', ')} is needed`);
  if (typeof sha256 !== 'string' || !HEX_32.test(sha256)) throw damaged(path, `${at}.sha256: 64 digits of hex`);
  return {
    ...{ id, name, role, sha256, runs: runsOf(path, `${at}.runs`, runs) },
    created_at: timeOf(path, `${at}.created_at`, value.created_at),
    expires_at: value.expires_at === null ? null : timeOf(path, `${at}.expires_at`, value.expires_at),
    revoked_at: value.revoked_at === null ? null : timeOf(path, `${at}.revoked_at`, value.revoked_at),
  };
}

/** None at all would be a token of nothing: somebody meant another thing. */
function runsOf(path: string, at: string, value: unknown): readonly string[] | null {
  if (value === null) return null;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (items.length > 0 && items.every((item): item is string => typeof item === 'string' && item !== '')) return items;
  throw damaged(path, `${at}: null (all runs), or a list of names of runs is needed`);
}

function timeOf(path: string, at: string, value: unknown): string {
  if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return value;
  throw damaged(path, `${at}: a time in ISO 8601 is needed`);
}

function damaged(path: string, why: string): RollstreamError {
  const field = 'http.tokens_file';
  return new RollstreamError('RS_CONFIG', `the token file ${path} cannot be used: ${why}`, { facts: { field } });
}
