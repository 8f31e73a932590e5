import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Absent, type CutRule, cutText } from '../../../../../src/proxy/forward/json/cut.ts';

const cut = (text: string, rule: CutRule): string | null => cutText(Buffer.from(text), rule)?.toString('utf8') ?? null;
const members = (entries: Record<string, Absent | CutRule>): CutRule => ({ members: new Map(Object.entries(entries)) });

describe('cutText', () => {
  it('leaves a member out with its comma, wherever it stands', () => {
    const rule = members({ x: 'omitted' });
    expect(cut('{"x":1,"a":2}', rule)).toBe('{"a":2}');
    expect(cut('{"a":1,"x":2,"b":3}', rule)).toBe('{"a":1,"b":3}');
    expect(cut('{"a":1,"x":2}', rule)).toBe('{"a":1}');
    expect(cut('{"x":[{"x":"}"}]}', rule)).toBe('{}');
  });

  it('leaves several out in a row, before, between and behind what is kept', () => {
    const rule = members({ x: 'omitted', y: 'omitted' });
    expect(cut('{"x":1,"y":2,"a":3,"y":4,"x":5,"b":6,"x":7,"y":8}', rule)).toBe('{"a":3,"b":6}');
    expect(cut('{ "x" : 1 , "y" : 2 }', rule)).toBe('{}');
  });

  it('makes null of a value where its writer would have', () => {
    expect(cut('{"a":[1, 2],"b": {"c":"d"} }', members({ a: 'null', b: 'null' }))).toBe('{"a":null,"b": null }');
  });

  it('leaves what is null already: it was not filled in', () => {
    expect(cut('{"a":null,"b":1}', members({ a: 'omitted' }))).toBe('{"a":null,"b":1}');
  });

  it('goes into objects and arrays, and only where the rule does', () => {
    const rule = members({ choices: { each: { members: new Map([['ids', 'omitted']]) } } });
    const text = '{"ids":[0],"choices":[{"i":0,"ids":[1]},{"ids":[2],"i":1},7],"other":[{"ids":[3]}]}';
    expect(cut(text, rule)).toBe('{"ids":[0],"choices":[{"i":0},{"i":1},7],"other":[{"ids":[3]}]}');
  });

  it('finds a key that is written with escapes, and none in a string', () => {
    expect(cut('{"\\u0078":1,"a":"\\",\\"x\\":1"}', members({ x: 'omitted' }))).toBe('{"a":"\\",\\"x\\":1"}');
  });

  it('gives up on what is torn or no JSON', () => {
    for (const text of ['', '{', '{"x":1', '{"x":}', '{"x" 1}', '{"x":1}}', '[DONE]x', '"x', '{"x":1,}'])
      expect(cut(text, members({ x: 'omitted' }))).toBeNull();
  });

  it('lets bytes that are no UTF-8, NaN and numbers of any size be', () => {
    const text = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('","x":1,"n":NaN,"m":1e999}'),
    ]);
    const left = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('","n":NaN,"m":1e999}')]);
    expect(cutText(text, members({ x: 'omitted' }))).toEqual(left);
  });

  it('gives the text that its writer would have written without the members, byte for byte, in any style', () => {
    const styles = [compact, spaced, indented];
    const document = fc.dictionary(fc.constantFrom('a', 'b', '"q\\', 'é😀', ''), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 5,
    });
    const added = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 });
    fc.assert(
      fc.property(
        ...([
          fc.array(document, { minLength: 1, maxLength: 3 }),
          added,
          fc.jsonValue({ maxDepth: 2 }),
          fc.nat(),
        ] as const),
        fc.constantFrom(...styles),
        (elements, names, value, seed, write) => {
          // Empty containers are written alike everywhere; null is what was not filled in.
          const filled = value === null ? 1 : value;
          const without = { list: elements, tail: 1 };
          const withAll = { list: elements.map((one, at) => insertedAt(one, names, filled, seed + at)), tail: 1 };
          const rule = members({
            list: { each: { members: new Map(names.map((name) => [name, 'omitted' as const])) } },
          });
          expect(cut(write(withAll), rule)).toBe(write(without));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('changes nothing but the values that become null', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 2 }), (value, other) => {
        const text = spaced({ a: other, x: value, b: [other] });
        expect(cut(text, members({ x: 'null' }))).toBe(spaced({ a: other, x: null, b: [other] }));
      }),
    );
  });
});

/** The same object with these members at some places among its own. */
function insertedAt(one: object, names: readonly string[], value: unknown, seed: number): object {
  const entries: [string, unknown][] = Object.entries(one);
  names.forEach((name, at) => {
    entries.splice((seed * 7 + at * 3) % (entries.length + 1), 0, [name, value]);
  });
  return Object.fromEntries(entries);
}

function compact(value: unknown): string {
  return JSON.stringify(value);
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** As Python's json.dumps: a blank behind commas and colons. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
    .join(', ')}}`;
}
