import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { packageFile } from '../../../src/config/package-file.ts';

const shipped = (): Record<string, unknown> =>
  parse(readFileSync(packageFile('processors/taxonomy/taxonomy.yaml'), 'utf8'));
const problemsOf = (document: unknown) => {
  const read = readTaxonomy(document, 'id');
  return read.kind === 'refused' ? read.problems.map(({ path, expected }) => [path, expected]) : [];
};

describe('the taxonomy', () => {
  it('that is shipped is read, and knows the systems that producers come from', () => {
    const read = readTaxonomy(shipped(), 'id');
    const systems = read.kind === 'ok' ? [...read.value.exact.keys()] : [];
    expect(systems).toEqual(expect.arrayContaining(['strands-env', 'nemo-gym', 'verifiers', 'harbor', 'rollstream']));
  });

  it('maps a raw value of a system once', () => {
    const codes = {
      a: { category: 'completion', raw: { x: ['done'] } },
      b: { category: 'budget', raw: { x: ['done'] } },
    };
    expect(problemsOf({ ...shipped(), codes })).toEqual([['codes.b.raw.x', 'done once']]);
  });

  it('refuses a category without a rank, an unknown key and another format, each by its path', () => {
    const codes = { a: { category: 'nonsense', raw: {} }, b: { category: 'budget', raw: {}, colour: 'red' } };
    expect(problemsOf({ ...shipped(), codes, format: 'rollstream-taxonomy/2', more: 1 }).map(([path]) => path)).toEqual(
      ['more', 'format', 'codes.a.category', 'codes.b.colour'],
    );
    expect(problemsOf('text').length).toBeGreaterThan(0);
  });
});
