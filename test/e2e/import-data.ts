import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createRandom } from '../../examples/generate/random.ts';
import { type Expected, emptyExpected } from './expected.ts';
import { writeGroups } from './group-lines.ts';
import { writeStrands } from './strands-lines.ts';

export interface ImportData {
  /** Folders to import: one run each, named after it. */
  readonly folders: readonly string[];
  readonly expected: Expected;
}

export interface ImportSize {
  /** Rollouts in the shape of strands-env, about 8 events each. */
  readonly rollouts: number;
  /** Groups of step events, four members and about 23 events each. */
  readonly groups: number;
}

/** Appends one JSON line. */
export type WriteLine = (line: object) => void;

/** Writes files to import, and says what must become of them: from what was written, never from what the program makes of it. */
export async function writeImportData(folder: string, seed: string, size: ImportSize): Promise<ImportData> {
  const random = createRandom(seed);
  const expected = emptyExpected();
  const folders = [join(folder, 'many-small'), join(folder, 'grouped')] as const;
  await writeLines(folders[0], 'results.jsonl', (write) => writeStrands(write, random, size.rollouts, expected));
  await writeLines(folders[1], 'steps.jsonl', (write) => writeGroups(write, random, size.groups, expected));
  return { folders, expected };
}

async function writeLines(folder: string, name: string, fill: (write: WriteLine) => void): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = createWriteStream(join(folder, name));
  fill((line) => file.write(`${JSON.stringify(line)}\n`));
  file.end();
  await finished(file);
}
