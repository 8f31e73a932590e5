import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodyObject, textOf, withMembers } from '../../../../../src/proxy/forward/json/insert.ts';

function inserted(text: string, added: Record<string, string>): string | null {
  const body = bodyObject(Buffer.from(text));
  return body === null ? null : withMembers(body, new Map(Object.entries(added))).toString('utf8');
}

describe('withMembers', () => {
  it('adds members behind the last one, and leaves the rest as it is written', () => {
    expect(inserted('{"a" :1,\n "b": "é" \n}\n', { x: 'true', y: '0' })).toBe(
      '{"a" :1,\n "b": "é","x":true,"y":0 \n}\n',
    );
  });

  it('begins an object that has none', () => {
    expect(inserted('{}', { x: 'true' })).toBe('{"x":true}');
    expect(inserted(' { } ', { x: 'true' })).toBe(' {"x":true } ');
  });

  it('puts a value in the place of the one that holds, the last of its name', () => {
    expect(inserted('{"x":false,"x": null,"a":1}', { x: 'true', y: '1' })).toBe('{"x":false,"x": true,"a":1,"y":1}');
  });

  it('says what members are, as text', () => {
    const body = bodyObject(Buffer.from('{"stream": true, "n":{"a":[1]}}'));
    expect(body && [textOf(body, 'stream'), textOf(body, 'n'), textOf(body, 'm')]).toEqual(['true', '{"a":[1]}', null]);
  });

  it('knows no object in what is none', () => {
    for (const text of ['', '[]', '1', '{"a":1}{}', '{"a":1', 'null']) expect(bodyObject(Buffer.from(text))).toBeNull();
  });

  it('is read as the same document with the members, and nothing else', () => {
    const keys = fc.constantFrom('a', 'b', 'x', 'messages', 'ü"');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue({ maxDepth: 3 })), fc.constantFrom(0, 1, 3), (document, indent) => {
        const text = inserted(JSON.stringify(document, null, indent), { x: 'true', y: '0' });
        expect(JSON.parse(text ?? '')).toEqual(JSON.parse(JSON.stringify({ ...document, x: true, y: 0 })));
      }),
    );
  });
});
