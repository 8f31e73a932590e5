import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLASS_WORDS } from '../../../src/audit/class-words.ts';
import { packageFile } from '../../../src/config/package-file.ts';

it('every class that an audit names is described', () => {
  const folder = packageFile('processors', 'audit');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const named = files.flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\bclass: '([a-z_]+)'/g)].map(([, name]) => name ?? ''),
  );
  expect(named.length).toBeGreaterThan(20);
  const undescribed = [...new Set(named)].filter((name) => name !== 'more_findings' && CLASS_WORDS[name] === undefined);
  expect(undescribed).toEqual([]);
});

it('says what it means as the end of a sentence, and what to do as one', () => {
  for (const { meaning, remedy } of Object.values(CLASS_WORDS)) {
    expect(meaning).toMatch(
      /^(?:its |a |an |the |it |what |all |in |JSON |tokens |text |ordinary |thinking |arguments |control |sampled |nobody )/,
    );
    expect(meaning).not.toMatch(/\.$/);
    expect(remedy).toMatch(/\.$/);
  }
});

it('says of nearly the same value what may have been lost of it', () => {
  expect(CLASS_WORDS.coerced?.meaning).toContain('blanks at its ends');
  expect(CLASS_WORDS.argument_coerced?.meaning).toContain('another type');
});
