import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineText } from '../../../src/ingest/line-text.ts';

test('text reads as Node reads it, wherever its characters lie', () => {
  const stretch = fc.tuple(fc.nat(9000), fc.constantFrom('é', '×', '漢', '😀', 'a'));
  fc.assert(
    fc.property(fc.array(stretch, { maxLength: 6 }), (stretches) => {
      const text = stretches.map(([ascii, character]) => 'x'.repeat(ascii) + character).join('');
      expect(lineText(Buffer.from(text))).toBe(text);
    }),
  );
});

test('a lone surrogate in its three bytes is kept, other bytes that are not UTF-8 are refused', () => {
  const far = Buffer.alloc(10_000, 'x');
  expect(lineText(Buffer.concat([far, Buffer.from('eda0bd', 'hex'), far]))?.charCodeAt(10_000)).toBe(0xd83d);
  expect(lineText(Buffer.concat([far, Buffer.from([0xff])]))).toBeNull();
  expect(lineText(Buffer.concat([far, Buffer.from([0xc3]), far]))).toBeNull();
});
