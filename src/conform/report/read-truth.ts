import { readFile } from 'node:fs/promises';
import type { TruthCall } from '../truth.ts';

/** All that the engine logged. */
export async function readTruth(path: string): Promise<TruthCall[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): TruthCall => JSON.parse(line));
}
