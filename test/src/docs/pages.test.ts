import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageFile } from '../../../src/config/package-file.ts';
import { generatedPages } from '../../../src/docs/pages.ts';

it('finds the pages that are made from the code as the code is', () => {
  for (const [name, text] of generatedPages()) expect(readFileSync(packageFile('docs', name), 'utf8'), name).toBe(text);
});
