import { expect, it } from 'vitest';
import { readYamlText } from '../../../src/lanes/yaml-text.ts';

const TEXT = `a: 1
b:
  "c.d": [x, y]
  c:
    - e: 2
    - f: 3

g: { h: 4,
     i: 5 }
`;

it('finds the line of a path: of keys, of list items, of keys with dots, of what stands in one line', () => {
  const yaml = readYamlText(TEXT);
  if (!('value' in yaml)) throw new Error('refused');
  const lines = Object.fromEntries(
    ['', 'a', 'b', 'b.c.d', 'b.c.d[1]', 'b.c', 'b.c[0]', 'b.c[1].f', 'g.h', 'g.i'].map((path) => [
      path,
      yaml.lineOf(path),
    ]),
  );
  expect(lines).toEqual({
    ...{ '': 1, a: 1, b: 2, 'b.c.d': 3, 'b.c.d[1]': 3, 'b.c': 4, 'b.c[0]': 5, 'b.c[1].f': 6, 'g.h': 8, 'g.i': 9 },
  });
});

it('of a path that is not there gives the line of what is there of it', () => {
  const yaml = readYamlText(TEXT);
  if (!('value' in yaml)) throw new Error('refused');
  expect(['b.c[7].x', 'b.x', 'x', 'g.h.z'].map((path) => yaml.lineOf(path))).toEqual([4, 2, 1, 8]);
});

it('refuses a key that stands twice, wherever it is, with both lines and its path', () => {
  expect(readYamlText('a:\n  - b: 1\n    c: 2\n    b: 3\n')).toEqual([
    { line: 4, otherLine: 2, path: 'a[0].b', message: 'the key stands twice' },
  ]);
});

it('refuses what is no YAML, and two documents in one', () => {
  expect(readYamlText('a: [1\nb: 2\n')).toMatchObject([{ otherLine: null, path: '' }]);
  expect(readYamlText('a: 1\n---\nb: 2\n')).toMatchObject([
    { line: 2, path: '', message: 'a second document begins here: one file is one' },
  ]);
});

it('refuses anchors and aliases, of values and of keys, also one that holds itself', () => {
  const messages = (text: string) => {
    const yaml = readYamlText(text);
    return 'value' in yaml ? [] : yaml.map(({ line, path, message }) => [line, path, message]);
  };
  expect(messages('scopes: &a\n  - *a\n')).toEqual([
    [1, 'scopes', 'no anchors: &a'],
    [2, 'scopes[0]', 'no aliases: write out what *a stands for'],
  ]);
  expect(messages('&k a: 1\n*k : 2\n')).toEqual([
    [1, 'a', 'no anchors: &k'],
    [2, '*k', 'no aliases: write out what *k stands for'],
  ]);
  expect(messages('a: *nowhere\n')).toEqual([[1, 'a', 'no aliases: write out what *nowhere stands for']]);
});

it('refuses what is nested too deep: for us, and for the parser', () => {
  const nested = (depth: number) => `a: 1\nb: ${'['.repeat(depth)}${']'.repeat(depth)}\n`;
  expect(readYamlText(nested(60))).toHaveProperty('value');
  for (const depth of [70, 5_000])
    expect(readYamlText(nested(depth))).toMatchObject([{ line: 2, message: 'nested deeper than 64' }]);
});
