import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { codeWords } from '../../../src/explain/code-words.ts';
import { mustRead } from '../../../src/lanes/read-document.ts';

it('every code of the shipped taxonomy is told in words', () => {
  const where = packageFile('processors', 'taxonomy', 'taxonomy.yaml');
  const { value } = mustRead({ text: readFileSync(where, 'utf8'), where }, readTaxonomy);
  const codes = [...value.categories.keys()];
  expect(codes.length).toBeGreaterThan(30);
  expect(codes.filter((code) => codeWords(code) === `it ended with ${code}`)).toEqual([]);
});

it('a code of another taxonomy is named as it is', () => {
  expect(codeWords('ran_dry')).toBe('it ended with ran_dry');
});
