import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { typescriptOf } from '../../schemas/typescript-of.ts';
import { packageFile } from '../../src/config/package-file.ts';

const files = readdirSync(packageFile('schemas')).filter((name) => name.endsWith('.avsc'));
const sourceOf = (file: string): string => readFileSync(packageFile('schemas', file), 'utf8');

describe('each schema', () => {
  for (const file of files) {
    it(`${file}: its generated types are up to date (npm run schemas)`, () => {
      const generated = packageFile('schemas', 'generated', file.replace('.avsc', '.ts'));
      expect(readFileSync(generated, 'utf8')).toBe(typescriptOf(file, sourceOf(file)));
    });

    it(`${file}: every field, record and enum says what it means`, () => {
      const undocumented: string[] = [];
      walk(JSON.parse(sourceOf(file)), file, undocumented);
      expect(undocumented).toEqual([]);
    });
  }

  it('of generated/ has its source', () => {
    const generated = readdirSync(packageFile('schemas', 'generated')).map((name) => name.replace('.ts', '.avsc'));
    expect(generated.sort()).toEqual([...files].sort());
  });
});

function walk(node: unknown, path: string, undocumented: string[]): void {
  if (typeof node !== 'object' || node === null) return;
  if ('name' in node && !('doc' in node && typeof node.doc === 'string' && node.doc.length > 3)) {
    undocumented.push(`${path}.${node.name}`);
  }
  const here = 'name' in node ? `${path}.${node.name}` : path;
  for (const child of Object.values(node)) walk(child, here, undocumented);
}

it('a record becomes what is read and what may be written', () => {
  const source = JSON.stringify({
    type: 'record',
    name: 'Point',
    doc: 'A point.',
    fields: [
      { name: 'x', type: 'double', doc: 'Right.' },
      { name: 'tags', type: { type: 'array', items: ['null', 'string'] }, doc: 'Words.', default: [] },
      { name: 'next', type: ['null', 'Point'], doc: 'Another.', default: null },
    ],
  });
  expect(typescriptOf('point.avsc', source)).toContain(
    [
      '/** A point. */',
      'export interface Point {',
      '  /** Right. */',
      '  x: number;',
      '  /** Words. */',
      '  tags: (null | string)[];',
      '  /** Another. */',
      '  next: null | Point;',
      '}',
      '',
      'export interface PointInit {',
      '  x: number;',
      '  tags?: (null | string)[];',
      '  next?: null | PointInit;',
      '}',
    ].join('\n'),
  );
});
