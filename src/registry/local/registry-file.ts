import type { Schema } from 'avsc';
import { RollstreamError } from '../../errors.ts';

export interface RegistryState {
  readonly schemas: ReadonlyMap<number, Schema>;
  /** Ids by subject, oldest version first. */
  readonly subjects: ReadonlyMap<string, readonly number[]>;
}

const FORMAT = 1;

export function registryFileOf(state: RegistryState): string {
  const schemas = [...state.schemas].map(([id, schema]) => ({ id, schema }));
  const subjects = [...state.subjects].map(([subject, ids]) => ({ subject, ids }));
  return `${JSON.stringify({ format: FORMAT, subjects, schemas })}\n`;
}

/** A damaged file is refused: to begin anew would give old ids to new schemas. */
export function parseRegistryFile(file: string, text: string): RegistryState {
  const refuse = (why: string, cause?: unknown): RollstreamError =>
    new RollstreamError('RS_DATA_VERSION', `${file}: ${why}`, { cause, facts: { file } });
  let parsed: { format?: unknown; schemas?: unknown; subjects?: unknown } | null;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw refuse('the registry of schemas is damaged: restore it from a backup', cause);
  }
  if (parsed?.format !== FORMAT) {
    throw refuse(`written in format ${JSON.stringify(parsed?.format)}; this build knows ${FORMAT}`);
  }
  if (!isList(parsed.schemas, isSchemaEntry) || !isList(parsed.subjects, isSubjectEntry)) {
    throw refuse('the registry of schemas is damaged: restore it from a backup');
  }
  return {
    schemas: new Map(parsed.schemas.map(({ id, schema }) => [id, schema])),
    subjects: new Map(parsed.subjects.map(({ subject, ids }) => [subject, ids])),
  };
}

function isList<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isSchemaEntry(item: unknown): item is { id: number; schema: Schema } {
  if (typeof item !== 'object' || item === null || !('id' in item) || !('schema' in item)) return false;
  return Number.isInteger(item.id) && item.schema !== null;
}

function isSubjectEntry(item: unknown): item is { subject: string; ids: number[] } {
  if (typeof item !== 'object' || item === null || !('subject' in item) || !('ids' in item)) return false;
  return typeof item.subject === 'string' && Array.isArray(item.ids) && item.ids.every(Number.isInteger);
}
