import { dirname, resolve } from 'node:path';
import type { JsonObject } from './exact-number.ts';
import { documentBeside } from './gather-together.ts';
import type { Importer } from './importer.ts';
import { readRecord } from './read-record.ts';

/** Documents beside a file that hold for all its lines; those that are not there, or are no JSON objects, are left out. */
export async function readSidecars(importer: Importer, path: string): Promise<Record<string, JsonObject>> {
  const found: Record<string, JsonObject> = {};
  if (path === '-') return found;
  for (const name of importer.sidecars ?? []) {
    const line = await documentBeside(dirname(resolve(path)), name);
    if (line === null) continue;
    const record = readRecord(line);
    if ('value' in record) found[name] = record.value;
  }
  return found;
}
