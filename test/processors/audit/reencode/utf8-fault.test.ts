import fc from 'fast-check';
import { expect, it } from 'vitest';
import { utf8Fault } from '../../../../processors/audit/reencode/utf8-fault.ts';

const strict = new TextDecoder('utf-8', { fatal: true });

it('finds none in exactly what is UTF-8', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc
      .array(fc.constantFrom(0x61, 0xc2, 0xe0, 0xe6, 0xed, 0xf0, 0xf4, 0x80, 0x8f, 0x9f, 0xa0, 0xbf))
      .map((list) => Uint8Array.from(list)),
    fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
  );
  const isText = (asked: Uint8Array) => {
    try {
      return strict.decode(asked) !== null;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(bytes, (asked) => {
      expect(utf8Fault(Uint8Array.from(asked)) === null).toBe(isText(Uint8Array.from(asked)));
    }),
    { numRuns: 5000, seed: 5 },
  );
});

it('tells an end within a character from a byte that belongs nowhere', () => {
  expect(utf8Fault(Uint8Array.of(0x61, 0xe6, 0xad))).toEqual({ at: 1, isCut: true });
  expect(utf8Fault(Uint8Array.of(0x61, 0xe6, 0x61))).toEqual({ at: 1, isCut: false });
  expect(utf8Fault(Uint8Array.of(0x61, 0xad))).toEqual({ at: 1, isCut: false });
});
