import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Schema } from 'avsc';
import { avroTypeOf } from '../../../processors/decode/avro-type.ts';
import { RollstreamError } from '../../errors.ts';
import { compatibilityProblems, describeProblem } from '../compatibility.ts';
import type { Registry } from '../port.ts';
import { parseRegistryFile, type RegistryState, registryFileOf } from './registry-file.ts';
import { writeDurably } from './write-durably.ts';

/**
 * The registry of embedded mode: one file in the data folder, whose owner is the broker's owner. Ids start at 1, one for each
 * different schema, and are on disk before they are given out: records carry them for ever.
 */
export async function openLocalRegistry(options: { readonly folder: string }): Promise<Registry> {
  await mkdir(options.folder, { recursive: true });
  const file = join(options.folder, 'schemas.json');
  let state = await readState(file);
  let writing: Promise<unknown> = Promise.resolve();

  async function registerNext(subject: string, schema: Schema): Promise<number> {
    const text = canonicalJson(schema);
    const versions = state.subjects.get(subject) ?? [];
    const known = [...state.schemas].find(([, other]) => canonicalJson(other) === text)?.[0];
    if (known !== undefined && versions.includes(known)) return known;

    refuseInvalid(subject, schema);
    refuseIncompatible(subject, schema, versions);
    const id = known ?? Math.max(0, ...state.schemas.keys()) + 1;
    const next: RegistryState = {
      schemas: new Map(state.schemas).set(id, JSON.parse(text)),
      subjects: new Map(state.subjects).set(subject, [...versions, id]),
    };
    await writeDurably(file, registryFileOf(next));
    state = next;
    return id;
  }

  function refuseIncompatible(subject: string, schema: Schema, versions: readonly number[]): void {
    for (const [index, id] of versions.entries()) {
      const earlier = state.schemas.get(id);
      const [problem] = earlier === undefined ? [] : compatibilityProblems(schema, earlier);
      if (problem === undefined) continue;
      const version = index + 1;
      throw new RollstreamError(
        'RS_SCHEMA_INCOMPATIBLE',
        `subject ${subject}, version ${version}: ${describeProblem(problem)}`,
        { facts: { subject, version, field: problem.path, rule: problem.rule } },
      );
    }
  }

  return {
    register(subject, schema) {
      const registered = writing.then(() => registerNext(subject, schema));
      writing = registered.catch(() => undefined);
      return registered;
    },
    async schemaOf(id) {
      return state.schemas.get(id) ?? null;
    },
  };
}

async function readState(file: string): Promise<RegistryState> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
      return { schemas: new Map(), subjects: new Map() };
    }
    throw new RollstreamError('RS_FILE_UNREADABLE', `cannot read ${file}`, { cause, facts: { file } });
  }
  return parseRegistryFile(file, text);
}

function refuseInvalid(subject: string, schema: Schema): void {
  try {
    avroTypeOf(schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_INPUT_REFUSED', `subject ${subject}: not an Avro schema: ${why}`, { cause });
  }
}

/** Two schemas are the same if their JSON is, whatever the order of the keys. */
function canonicalJson(schema: Schema): string {
  return JSON.stringify(schema, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
