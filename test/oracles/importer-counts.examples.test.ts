import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import type { JsonValue } from '../../src/ingest/exact-number.ts';
import { nemoGym } from '../../src/ingest/importers/nemo-gym.ts';
import { strandsEnv } from '../../src/ingest/importers/strands-env.ts';
import { findPython } from '../python-with.ts';
import { countedBy, countsOf } from './wire-counts.ts';

const python = (await findPython()) ?? 'python3';

/** Whole lines of an example; torn ones are there on purpose. */
function linesOf(...path: string[]): JsonValue[] {
  const text = readFileSync(packageFile('examples', 'rollouts', ...path), 'utf8');
  return text.split('\n').flatMap((line): JsonValue[] => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

test.each([
  ['calculator-strands', 'results.jsonl', strandsEnv, 'strands_counts.py'],
  ['recipe-strands', 'results.jsonl', strandsEnv, 'strands_counts.py'],
  ['kv-nemo', 'rollouts.jsonl', nemoGym, 'nemo_counts.py'],
])('events of %s hold what its lines hold, counted by Python', async (folder, file, importer, script) => {
  const lines = linesOf(folder, file);
  const counted = await countedBy(python, script, lines);
  expect(counted.model_calls).toBeGreaterThan(10);
  expect(await countsOf(importer, lines)).toEqual(counted);
});
