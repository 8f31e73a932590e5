import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Schema } from 'avsc';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { RollstreamError } from '../errors.ts';
import { evolutionProblems, type Problem, RULES } from './evolution.ts';

/** `reader` must read what `writer` wrote, and be a good successor of it: Avro's rules and ours. */
export function compatibilityProblems(reader: Schema, writer: Schema): Problem[] {
  const problems = evolutionProblems(reader, writer);
  if (problems.length > 0) return problems;
  try {
    avroTypeOf(reader).createResolver(avroTypeOf(writer));
    return [];
  } catch (cause) {
    return [{ rule: 'unreadable', path: '', detail: cause instanceof Error ? cause.message : String(cause) }];
  }
}

export function describeProblem(problem: Problem): string {
  const detail = problem.detail === '' ? '' : ` (${problem.detail})`;
  return `${problem.path}: ${problem.rule}${detail}: ${RULES[problem.rule]}`;
}

export interface SchemaCheck {
  /** File name without `.avsc`. */
  readonly schema: string;
  /** Released version it was compared with; null: none is released. */
  readonly version: number | null;
  readonly ok: boolean;
  readonly problems: readonly Problem[];
}

/** BACKWARD_TRANSITIVE over `folder`: each schema against every version kept in released/<schema>/vN.avsc. */
export function checkSchemas(folder: string): SchemaCheck[] {
  const current = namesIn(folder, /^(.+)\.avsc$/);
  const released = join(folder, 'released');
  const withdrawn = readdirSync(released, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !current.includes(entry.name))
    .map((entry) => entry.name);
  if (withdrawn.length > 0) {
    throw new RollstreamError('RS_CHECK_FAILED', `released but no longer in ${folder}: ${withdrawn.join(', ')}`);
  }
  return current.flatMap((schema) => checkSchema(folder, released, schema));
}

function checkSchema(folder: string, released: string, schema: string): SchemaCheck[] {
  const reader = readSchema(join(folder, `${schema}.avsc`));
  const versions = namesIn(join(released, schema), /^v(\d+)\.avsc$/).map(Number);
  if (versions.length === 0) return [{ schema, version: null, ok: true, problems: [] }];
  return versions
    .sort((a, b) => a - b)
    .map((version) => {
      const problems = compatibilityProblems(reader, readSchema(join(released, schema, `v${version}.avsc`)));
      return { schema, version, ok: problems.length === 0, problems };
    });
}

function namesIn(folder: string, pattern: RegExp): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return [];
    throw cause;
  }
  return names.sort().flatMap((name) => pattern.exec(name)?.[1] ?? []);
}

function readSchema(file: string): Schema {
  try {
    const schema: Schema = JSON.parse(readFileSync(file, 'utf8'));
    avroTypeOf(schema);
    return schema;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `${basename(file)}: ${why}`, { cause, facts: { file } });
  }
}
