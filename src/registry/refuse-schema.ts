import type { Schema } from 'avsc';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { RollstreamError } from '../errors.ts';
import { compatibilityProblems, describeProblem } from './compatibility.ts';

/** RS_INPUT_REFUSED if `schema` is none. */
export function refuseInvalid(subject: string, schema: Schema): void {
  try {
    avroTypeOf(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_INPUT_REFUSED', `subject ${subject}: not an Avro schema: ${why}`, { cause });
  }
}

/** RS_SCHEMA_INCOMPATIBLE if `schema` is no good successor of `earlier`, by Avro's rules and ours. */
export function refuseIncompatible(subject: string, version: number, schema: Schema, earlier: Schema): void {
  const [problem] = compatibilityProblems(schema, earlier);
  if (problem === undefined) return;
  throw new RollstreamError(
    'RS_SCHEMA_INCOMPATIBLE',
    `subject ${subject}, version ${version}: ${describeProblem(problem)}`,
    { facts: { subject, version, field: problem.path, rule: problem.rule } },
  );
}
