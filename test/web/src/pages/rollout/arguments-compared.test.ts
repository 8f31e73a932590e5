import { describe, expect, it } from 'vitest';
import { comparedArguments } from '../../../../../web/src/pages/rollout/arguments-compared.ts';

const differing = (...sides: Parameters<typeof comparedArguments>): string[] =>
  comparedArguments(...sides)
    .rows.filter(({ differs }) => differs)
    .map(({ name }) => name);

describe('arguments as they were written, read and executed', () => {
  it('differ where a value, its type or its presence does', () => {
    expect(differing('{"a": 1, "b": 2, "c": 3}', '{"a": 1, "b": "2"}', '{"a": 1, "b": "2", "d": null}')).toEqual([
      'b',
      'c',
      'd',
    ]);
  });

  it('are the same under other spaces and another order of keys', () => {
    expect(differing('{"a": {"x": 1, "y": [2]}}', '{"a":{"y":[2],"x":1}}', null)).toEqual([]);
  });

  it('do not differ from what nobody kept, and what cannot be read is said to be unreadable', () => {
    const compared = comparedArguments('{"a": 1', null, '{"a": 1}');
    expect(compared).toEqual({
      rows: [{ name: 'a', written: null, parsed: null, executed: '1', differs: false }],
      ...{ written: 'unreadable', parsed: 'not kept', executed: 'read' },
    });
  });

  it('that are no object are compared whole; names of prototypes are names', () => {
    expect(differing('[1]', '[2]', null)).toEqual(['(all)']);
    expect(differing('{"__proto__": 1, "toString": 2}', '{"toString": 2}', null)).toEqual(['__proto__']);
  });
});
