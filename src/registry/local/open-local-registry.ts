import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Schema } from 'avsc';
import { makeFolder } from '../../config/make-folder.ts';
import { RollstreamError } from '../../errors.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Registry } from '../port.ts';
import { refuseIncompatible, refuseInvalid } from '../refuse-schema.ts';
import { parseRegistryFile, type RegistryState, registryFileOf } from './registry-file.ts';
import { writeDurably } from './write-durably.ts';

/**
 * The registry of embedded mode: one file in the data folder, whose owner is the broker's owner. Ids start at 1, one for each
 * different schema, and are on disk before they are given out: records carry them for ever.
 */
export async function openLocalRegistry(options: { readonly folder: string }): Promise<Registry> {
  await makeFolder(options.folder);
  const file = join(options.folder, 'schemas.json');
  let state = await readState(file);
  let writing: Promise<unknown> = Promise.resolve();

  async function registerNext(subject: string, schema: Schema): Promise<number> {
    const text = canonicalJson(schema);
    const versions = state.subjects.get(subject) ?? [];
    const known = [...state.schemas].find(([, other]) => canonicalJson(other) === text)?.[0];
    if (known !== undefined && versions.includes(known)) return known;

    refuseInvalid(subject, schema);
    for (const [index, id] of versions.entries()) {
      const earlier = state.schemas.get(id);
      if (earlier !== undefined) refuseIncompatible(subject, index + 1, schema, earlier);
    }
    const id = known ?? Math.max(0, ...state.schemas.keys()) + 1;
    const next: RegistryState = {
      schemas: new Map(state.schemas).set(id, JSON.parse(text)),
      subjects: new Map(state.subjects).set(subject, [...versions, id]),
    };
    await writeDurably(file, registryFileOf(next));
    state = next;
    return id;
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
