import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * A version for a command that names none: SHA-256 of its words and of the files among them, or of its program where none of the
 * others is a file; an interpreter is then no part of it. null: it is of no file.
 */
export async function commandVersion(
  [program = '', ...words]: readonly string[],
  path: string | undefined,
): Promise<string | null> {
  const named = await filesAmong(words);
  const places = program.includes('/')
    ? [program]
    : (path ?? '').split(delimiter).map((folder) => join(folder, program));
  const files = named.length > 0 ? named : (await filesAmong(places)).slice(0, 1);
  if (files.length === 0) return null;
  // The words without their folders: moved elsewhere it is the same verifier.
  const hash = createHash('sha256').update(JSON.stringify([program, ...words].map(lastPart)));
  for (const file of files) for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex').slice(0, 16);
}

async function filesAmong(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const about = await stat(path).catch(() => null);
    if (about?.isFile() === true) found.push(path);
  }
  return found;
}

function lastPart(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
