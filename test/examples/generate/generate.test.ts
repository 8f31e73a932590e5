import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { generateExamples } from '../../../examples/generate/generate.ts';

const ROLLOUTS = join(import.meta.dirname, '../../../examples/rollouts');

describe('the example rollouts', () => {
  let generated: Map<string, string>;
  beforeAll(async () => {
    generated = await generateExamples();
  });

  test('are byte for byte what the generator writes', async () => {
    for (const [path, content] of generated) {
      // Compared as a boolean: a difference of two files of this size is no help on a terminal.
      expect({ path, same: (await readFile(join(ROLLOUTS, path), 'utf8')) === content }).toEqual({ path, same: true });
    }
  });

  test('come out the same a second time', async () => {
    expect([...(await generateExamples())]).toEqual([...generated]);
  });

  test('are all the files there are, but for the expectations', async () => {
    const entries = await readdir(ROLLOUTS, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && entry.name !== 'expected.json')
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.sort()).toEqual([...generated.keys()].map((path) => join(ROLLOUTS, path)).sort());
  });
});
