import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { packageFile } from '../../../src/config/package-file.ts';

const shipped = (): Record<string, unknown> =>
  parse(readFileSync(packageFile('processors/taxonomy/taxonomy.yaml'), 'utf8'));

/** A small one, with other codes and whatever else. */
const small = (codes: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  format: 'rollstream-taxonomy/2',
  version: '1',
  precedence: ['unknown', 'budget', 'completion'],
  engines: {},
  codes,
  ...more,
});
const DONE = { category: 'completion', raw: { x: ['done'] } };

const problemsOf = (document: unknown) => {
  const read = readTaxonomy(document, 'id');
  return read.kind === 'refused' ? read.problems.map(({ path, expected, got }) => [path, expected, got]) : [];
};

function accepted(document: unknown): Taxonomy {
  const read = readTaxonomy(document, 'id');
  if (read.kind === 'refused') throw new Error(JSON.stringify(read.problems));
  return read.value;
}

describe('the taxonomy that is shipped', () => {
  it('is read, and gives every code a category that precedence ranks, but for what a verifier did not say', () => {
    const { categories, rank } = accepted(shipped());
    expect(categories.size).toBeGreaterThan(35);
    for (const [code, category] of categories)
      expect([code, rank.has(category) || category === 'verifier_fault']).toEqual([code, true]);
  });
});

describe('a taxonomy is refused, by path, for', () => {
  it('a raw value of a system that two codes claim, naming both', () => {
    const codes = { a: DONE, b: { category: 'budget', raw: { x: ['done'] } } };
    expect(problemsOf(small(codes))).toEqual([['codes.b.raw.x', 'done once', 'it also maps to a']]);
    const asClass = { a: DONE, b: { category: 'budget', classes: { x: ['done'] } } };
    expect(problemsOf(small(asClass))).toEqual([['codes.b.classes.x', 'done once', 'it also maps to a']]);
  });

  it('a pattern that two codes claim, naming both', () => {
    const codes = {
      a: { category: 'completion', patterns: { x: ['done*'] } },
      b: { category: 'budget', patterns: { x: ['done*'] } },
    };
    expect(problemsOf(small(codes))).toEqual([['codes.b.patterns.x', 'done* once', 'it also maps to a']]);
  });

  it('an orphan: a code that nothing leads to, and one without a category', () => {
    expect(problemsOf(small({ a: { category: 'completion' } })).map(([path, , got]) => [path, got])).toEqual([
      ['codes.a', 'a code that nothing leads to'],
    ]);
    expect(problemsOf(small({ a: { raw: { x: ['done'] } } })).map(([path]) => path)).toEqual(['codes.a.category']);
    expect(problemsOf(small({ a: { category: 'completion', own: true } }))).toEqual([]);
  });

  it('a category that nobody knows, one without a rank, and one that is ranked twice', () => {
    expect(problemsOf(small({ a: { ...DONE, category: 'nonsense' } })).map(([path]) => path)).toEqual([
      'codes.a.category',
    ]);
    expect(problemsOf(small({ a: { ...DONE, category: 'cancelled' } }))).toEqual([
      ['codes.a.category', 'a category that precedence ranks', 'cancelled'],
    ]);
    const precedence = ['completion', 'unknown', 'completion'];
    expect(problemsOf(small({ a: DONE }, { precedence })).map(([path]) => path)).toEqual(['precedence[2]']);
  });

  it('a pattern without a star, with two side by side, with too many, or of almost nothing', () => {
    for (const pattern of ['done', 'do**ne', 'a*b*c*d*e*f', '*', 'a*b']) {
      const codes = { a: { category: 'completion', patterns: { x: [pattern] } } };
      expect(problemsOf(small(codes)).map(([path, , got]) => [path, got])).toEqual([['codes.a.patterns.x', pattern]]);
    }
  });

  it('a class with its module, a system that has no values, and a word that means two things', () => {
    const codes = { a: { category: 'completion', classes: { x: ['lib.Done'] } } };
    expect(problemsOf(small(codes)).map(([path]) => path)).toEqual(['codes.a.classes.x']);
    expect(problemsOf(small({ a: DONE }, { composite: ['y'] })).map(([path]) => path)).toEqual(['composite']);
    const engines = { e: { complete: ['stop'], cut: ['stop'] } };
    expect(problemsOf(small({ a: DONE }, { engines }))).toEqual([
      ['engines.e.cut', 'stop once', 'it is also complete'],
    ]);
  });

  it('an unknown key, another format, and what is no document', () => {
    const codes = { a: { ...DONE, colour: 'red' } };
    expect(problemsOf(small(codes, { format: 'rollstream-taxonomy/3', more: 1 })).map(([path]) => path)).toEqual([
      'format',
      'more',
      'codes.a.colour',
    ]);
    expect(problemsOf('text').length).toBeGreaterThan(0);
  });
});

describe('a taxonomy of the first format', () => {
  it('is still read: a log may name one that was kept', () => {
    const taxonomy = accepted({
      format: 'rollstream-taxonomy/1',
      version: '1',
      precedence: ['unknown', 'completion'],
      codes: { done: DONE, termination_conflict: { category: 'unknown', raw: {} } },
      finish_reasons: { complete: ['stop'], cut: ['length'], aborted: ['abort'] },
    });
    expect(taxonomy.codesOf('x', 'done')).toEqual(['done']);
    expect(taxonomy.finishReasons.get('abort')).toBe('aborted');
  });
});

describe('what an engine says', () => {
  it('has one meaning where all engines that use the word agree, and none where they do not', () => {
    const engines = { e: { complete: ['stop', 'end'] }, f: { complete: ['stop'], cut: ['end'], unclear: ['other'] } };
    const { finishReasons } = accepted(small({ a: DONE }, { engines }));
    expect([...finishReasons]).toEqual([['stop', 'complete']]);
  });
});
