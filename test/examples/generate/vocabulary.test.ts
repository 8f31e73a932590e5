import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createQwen } from '../../../examples/generate/qwen.ts';
import { generateVocabulary } from '../../../examples/generate/vocabulary.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { parseVocabulary } from '../../../src/tokenizers/pieces/vocabulary.ts';

const ROLLOUTS = packageFile('examples', 'rollouts');
const names = readdirSync(ROLLOUTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
const rollouts = new Map(names.map((name) => [name, readFileSync(join(ROLLOUTS, name), 'utf8')]));
const shipped = readFileSync(packageFile('examples', 'vocabulary.json'), 'utf8');

test('what is shipped is byte for byte what the generator writes', () => {
  expect(generateVocabulary(rollouts) === shipped).toBe(true);
});

test('it has each id of each line that is whole, and what Qwen3 itself decodes it to', async () => {
  const { pieces } = parseVocabulary(shipped);
  const ids = new Set([...rollouts.values()].flatMap((text) => text.trim().split('\n').flatMap(idsOfLine)));
  const qwen = createQwen();
  expect(ids.size).toBeGreaterThan(500);
  for (const id of ids) expect(pieces[id], String(id)).toMatchObject({ text: await qwen.decode([id]) });
});

/** Lists of numbers under a name that ends in ids, however deep; the last line of one file is torn on purpose. */
function idsOfLine(line: string): number[] {
  const ids: number[] = [];
  const collect = (key: string, value: unknown): unknown => {
    if (key.endsWith('_ids') && Array.isArray(value)) ids.push(...value.filter((id) => typeof id === 'number'));
    return value;
  };
  try {
    JSON.parse(line, collect);
  } catch {
    return [];
  }
  return ids;
}
