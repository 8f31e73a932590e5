import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { JsonObject } from './exact-number.ts';
import { openFile } from './file-bytes.ts';
import type { Importer } from './importer.ts';
import type { SourceLine } from './line-reader.ts';
import { documentOf, MAX_DOCUMENT_BYTES, readDocument } from './read-document.ts';
import { readRecord } from './read-record.ts';

/** Documents of one rollout as one record, and the files that it is made of (absolute paths). */
export interface Together {
  readonly record: SourceLine;
  readonly files: readonly string[];
}

/** More of them are no rollout, but a mapping that asks without end. */
const MOST_FILES = 1_000;

/**
 * Reads what belongs to a document from beside it. The record is the texts themselves under their names, in the order of the
 * names: the same whichever file was found first, so that its hash and the ids made of it are the same.
 */
export async function gatherTogether(importer: Importer, path: string, first: SourceLine): Promise<Together> {
  if (importer.together === undefined || first.bytes === null) return { record: first, files: [] };
  const folder = dirname(resolve(path));
  const values = new Map<string, JsonObject>();
  const texts = new Map<string, Buffer>();
  const asked = new Set<string>();

  const keep = (name: string, line: SourceLine): void => {
    const record = readRecord(line, true);
    if (line.bytes === null || !('value' in record)) return;
    values.set(name, record.value);
    texts.set(name, line.bytes);
  };
  keep(basename(path), first);
  asked.add(basename(path));
  if (values.size === 0) return { record: first, files: [] };

  for (let isNew = true; isNew && asked.size < MOST_FILES; ) {
    isNew = false;
    for (const name of importer.together(values)) {
      const plain = relative(folder, resolve(folder, name));
      if (asked.has(plain)) continue;
      asked.add(plain);
      const found = await documentBeside(folder, name);
      if (found === null) continue;
      keep(plain, found);
      isNew = true;
    }
  }
  const files = [...texts].map(([name, text]) => ({ path: resolve(folder, name), text }));
  const common = commonFolder(files.map((file) => file.path));
  return { record: recordOf(files, common), files: files.map((file) => file.path) };
}

/** null: there is none, or the name leads away from the folder above. */
export async function documentBeside(folder: string, name: string): Promise<SourceLine | null> {
  if (isAbsolute(name)) return null;
  const path = await realpath(resolve(folder, name)).catch(() => null);
  if (path === null || !isBelow(dirname(await realpath(folder)), path)) return null;
  const stats = await stat(path);
  if (!stats.isFile() || stats.size > MAX_DOCUMENT_BYTES) return null;
  const bytes = await openFile(path).catch(nothingIfUnreadable);
  if (bytes === null) return null;
  try {
    return await readDocument(bytes.chunks);
  } catch (error) {
    return nothingIfUnreadable(error);
  } finally {
    await bytes.close();
  }
}

/** It is as if it were not there: that it cannot be read is told when it is its own turn. */
function nothingIfUnreadable(error: unknown): null {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return null;
  throw error;
}

function isBelow(folder: string, path: string): boolean {
  const from = relative(folder, path);
  return from !== '' && from.split(sep)[0] !== '..';
}

function commonFolder(paths: readonly string[]): string {
  let common = dirname(paths[0] ?? sep);
  while (!paths.every((path) => path.startsWith(common === sep ? sep : common + sep))) common = dirname(common);
  return common;
}

function recordOf(files: ReadonlyArray<{ readonly path: string; readonly text: Buffer }>, common: string): SourceLine {
  const parts: Buffer[] = [];
  const named = files.map(({ path, text }) => ({ name: relative(common, path).split(sep).join('/'), text }));
  for (const { name, text } of named.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    parts.push(Buffer.from(`${parts.length === 0 ? '{' : ','}${JSON.stringify(name)}:`), text);
  }
  parts.push(Buffer.from('}'));
  const bytes = Buffer.concat(parts);
  const isHeld = bytes.length <= MAX_DOCUMENT_BYTES;
  return documentOf(isHeld ? bytes : null, bytes.length, createHash('sha256').update(bytes).digest('hex'));
}
