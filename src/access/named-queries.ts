import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { QueryParams } from '../clickhouse/port.ts';
import { packageFile } from '../config/package-file.ts';
import { RollstreamError } from '../errors.ts';

/** A value that a named query is asked with: `{name:Type}` of its SQL. */
export interface NamedParam {
  readonly name: string;
  /** Of ClickHouse, such as String or Array(Int64). */
  readonly type: string;
  readonly meaning: string;
  /** What it is where it is left out; null: it must be given. */
  readonly preset: string | null;
}

/**
 * A query that is shipped: `infra/clickhouse/queries/<name>.sql`. Its header (lines of `--`) has `title:`, `question:`, a line
 * `param NAME [= PRESET]: meaning` for each parameter (of one that is text, `empty: …` in the meaning is the preset ''), `example:`,
 * and behind an empty line what its columns mean.
 */
export interface NamedQuery {
  readonly name: string;
  readonly title: string;
  /** What it answers. */
  readonly question: string;
  readonly params: readonly NamedParam[];
  /** A command that runs it. */
  readonly example: string;
  /** What its columns mean, and what is left out. */
  readonly notes: string;
  readonly sql: string;
}

/** What is said of a parameter that may be left out: as its whole meaning, or behind what it is. */
const MAY_BE_EMPTY = /(?:^|; )empty: /;

export function namedQueries(): NamedQuery[] {
  const folder = packageFile('infra', 'clickhouse', 'queries');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => readNamedQuery(file.slice(0, -'.sql'.length), readFileSync(`${folder}/${file}`, 'utf8')));
}

export function readNamedQuery(name: string, text: string): NamedQuery {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const header = lines.slice(0, end).map((line) => line.replace(/^-- ?/, '').trim());
  const blank = header.indexOf('');
  const fields = blank < 0 ? header : header.slice(0, blank);
  const sql = lines.slice(end).join('\n').trim().replace(/;$/, '');
  const field = (key: string): string => fieldOf(fields, key) ?? '';
  return {
    name,
    title: field('title'),
    question: field('question'),
    params: paramsOf(sql, fields),
    example: field('example'),
    notes: blank < 0 ? '' : header.slice(blank + 1).join('\n'),
    sql,
  };
}

/** The values that it is asked with: those given, else the presets. RS_USAGE names one that is not known or is missing. */
export function askedWith(query: NamedQuery, given: QueryParams): QueryParams {
  const known = query.params.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const message = `${query.name} has no parameter ${unknown}; it has ${known.join(', ') || 'none'}`;
    throw new RollstreamError('RS_USAGE', message, { facts: { field: unknown } });
  }
  const missing = query.params.find(({ name, preset }) => preset === null && given[name] === undefined);
  if (missing !== undefined) {
    const message = `${query.name} needs ${missing.name}: ${missing.meaning}; such as ${query.example}`;
    throw new RollstreamError('RS_USAGE', message, { facts: { field: missing.name } });
  }
  for (const { name, type } of query.params) assertWhole(name, type, given[name]);
  const presets = query.params.flatMap(({ name, preset }) => (preset === null ? [] : [[name, preset] as const]));
  return { ...Object.fromEntries(presets), ...given };
}

/** The store would count a number past the end of its type from the other end on: an answer to what nobody asked. */
function assertWhole(name: string, type: string, value: QueryParams[string] | undefined): void {
  const [, unsigned, bits] = /^(U?)Int(\d+)$/.exec(type) ?? [];
  if (unsigned === undefined || value === undefined) return;
  const text = String(value);
  const whole = /^-?\d{1,20}$/.test(text) ? BigInt(text) : null;
  const fitting =
    whole === null ? null : unsigned === 'U' ? BigInt.asUintN(Number(bits), whole) : BigInt.asIntN(Number(bits), whole);
  if (whole !== null && fitting === whole) return;
  throw new RollstreamError('RS_USAGE', `${name}: a whole number is needed, as ${type} holds it`, {
    facts: { field: name },
  });
}

function fieldOf(fields: readonly string[], key: string): string | null {
  const line = fields.find((text) => text.startsWith(`${key}:`));
  return line === undefined ? null : line.slice(key.length + 1).trim();
}

function paramsOf(sql: string, fields: readonly string[]): NamedParam[] {
  const types = new Map(
    [...sql.matchAll(/\{(\w+) *: *([^}]+)\}/g)].map(([, name = '', type = '']) => [name, type.trim()]),
  );
  return [...types].map(([name, type]) => {
    const told = fields
      .map((text) => /^param (\w+)(?: = ([^:]*))?: (.*)$/.exec(text))
      .find((match) => match?.[1] === name);
    const preset = told?.[2]?.trim() ?? (type === 'String' && MAY_BE_EMPTY.test(told?.[3] ?? '') ? '' : null);
    return { name, type, meaning: told?.[3] ?? '', preset };
  });
}
