import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/config/package-file.ts';
import { evolutionProblems, RULES } from '../../../src/registry/evolution.ts';

interface FieldJson {
  name: string;
  type: unknown;
  default?: unknown;
}
const record = (...fields: FieldJson[]) => ({ type: 'record', name: 'Step', namespace: 'a.b', fields });
const field = (type: unknown, extra: { default?: unknown } = {}): FieldJson => ({ name: 'f', type, ...extra });
const kind = (symbols: string[], extra: object = {}) => ({ type: 'enum', name: 'Kind', symbols, ...extra });

/** [what happened, earlier, later, rule and path] */
const REFUSED: [string, unknown, unknown, string, string][] = [
  ['a field without default', record(), record(field('int')), 'field_without_default', 'Step.f'],
  ['int to string', record(field('int')), record(field('string')), 'type_changed', 'Step.f'],
  ['string to bytes', record(field('string')), record(field('bytes')), 'type_changed', 'Step.f'],
  ['long to int', record(field('long')), record(field('int')), 'type_changed', 'Step.f'],
  ['long to double', record(field('long')), record(field('double')), 'type_changed', 'Step.f'],
  ['null no longer allowed', record(field(['null', 'int'])), record(field('int')), 'type_changed', 'Step.f'],
  ['a branch gone', record(field(['null', 'int'])), record(field(['null', 'string'])), 'type_changed', 'Step.f'],
  [
    'items changed',
    record(field({ type: 'array', items: 'int' })),
    record(field({ type: 'array', items: 'string' })),
    'type_changed',
    'Step.f[]',
  ],
  [
    'values changed',
    record(field({ type: 'map', values: 'int' })),
    record(field({ type: 'map', values: 'string' })),
    'type_changed',
    'Step.f{}',
  ],
  ['a record renamed', record(), { ...record(), name: 'Step2' }, 'renamed', 'Step2'],
  [
    'a record renamed, the old name as an alias',
    record(),
    { ...record(), name: 'Step2', aliases: ['a.b.Step'] },
    'renamed',
    'Step2',
  ],
  [
    'a nullable record renamed',
    record(field(['null', { type: 'record', name: 'A', fields: [] }])),
    record(field(['null', { type: 'record', name: 'B', fields: [] }])),
    'renamed',
    'Step.f',
  ],
  ['another namespace', record(), { ...record(), namespace: 'a.c' }, 'renamed', 'Step'],
  ['a required field removed', record(field('int')), record(), 'required_field_removed', 'Step.f'],
  [
    'a default changed',
    record(field('int', { default: 0 })),
    record(field('int', { default: 1 })),
    'default_changed',
    'Step.f',
  ],
  ['a default removed', record(field('int', { default: 0 })), record(field('int')), 'default_changed', 'Step.f'],
  [
    'the default of an enum removed',
    record(field(kind(['a', 'b'], { default: 'b' }))),
    record(field(kind(['a', 'b']))),
    'enum_default_removed',
    'Step.f',
  ],
  [
    'a symbol removed, although the default would take it',
    record(field(kind(['a', 'b', 'c'], { default: 'c' }))),
    record(field(kind(['a', 'c'], { default: 'c' }))),
    'symbol_removed',
    'Step.f',
  ],
  [
    'a symbol for an enum without default',
    record(field(kind(['a']))),
    record(field(kind(['a', 'b']))),
    'symbol_without_default',
    'Step.f',
  ],
  [
    'µs that become ms',
    record(field({ type: 'long', logicalType: 'timestamp-micros' })),
    record(field({ type: 'long', logicalType: 'timestamp-millis' })),
    'logical_type_changed',
    'Step.f',
  ],
  [
    'deep inside',
    record(field(['null', { type: 'array', items: { type: 'record', name: 'In', fields: [] } }])),
    record(field(['null', { type: 'array', items: { type: 'record', name: 'In', fields: [field('int')] } }])),
    'field_without_default',
    'Step.f[].f',
  ],
  [
    'a fixed of another size',
    record(field({ type: 'fixed', name: 'Hash', size: 16 })),
    record(field({ type: 'fixed', name: 'Hash', size: 32 })),
    'type_changed',
    'Step.f',
  ],
];

describe('is refused', () => {
  for (const [name, earlier, later, rule, path] of REFUSED) {
    it(name, () => {
      expect(evolutionProblems(later, earlier).map((problem) => [problem.rule, problem.path])).toEqual([[rule, path]]);
    });
  }

  it('every rule is shown above, but for the one that the library decides', () => {
    const shown = new Set(REFUSED.map(([, , , rule]) => rule));
    expect(Object.keys(RULES).filter((rule) => !shown.has(rule))).toEqual(['unreadable']);
  });
});

it('schemas/README.md explains each rule, and no other', () => {
  const readme = readFileSync(packageFile('schemas', 'README.md'), 'utf8');
  const explained = [...readme.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, rule]) => rule);
  expect(explained).toEqual(Object.keys(RULES));
});

describe('is allowed', () => {
  const ALLOWED: [string, unknown, unknown][] = [
    ['nothing changed', record(field('int')), record(field('int'))],
    ['a field with a default', record(), record(field('int', { default: 0 }))],
    ['a default where there was none', record(field('int')), record(field('int', { default: 3 }))],
    ['a field with a default removed', record(field('int', { default: 0 })), record()],
    [
      'fields in another order',
      record(field('int'), { ...field('string'), name: 'g' }),
      record({ ...field('string'), name: 'g' }, field('int')),
    ],
    ['int to long', record(field('int')), record(field('long'))],
    ['null allowed from now on', record(field('int')), record(field(['null', 'int']))],
    [
      'a symbol where the enum has a default',
      record(field(kind(['a'], { default: 'a' }))),
      record(field(kind(['a', 'b'], { default: 'a' }))),
    ],
    ['another doc', record(field('int')), { ...record(field('int')), doc: 'new' }],
  ];
  for (const [name, earlier, later] of ALLOWED) {
    it(name, () => expect(evolutionProblems(later, earlier)).toEqual([]));
  }

  it('a record that contains itself', () => {
    const list = record(field(['null', 'Step'], { default: null }));
    expect(evolutionProblems(list, list)).toEqual([]);
  });
});
