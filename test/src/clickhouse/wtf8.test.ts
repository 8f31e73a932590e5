import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import { decodeWtf8, escapeSurrogate, writeWtf8 } from '../../../src/clickhouse/wtf8.ts';

const text = fc.string({
  unit: fc.oneof(
    fc.nat(0xffff).map((code) => String.fromCharCode(code)),
    fc.constant('😀'),
  ),
});

test('any text is written in as many bytes as UTF-8 would take, and read back', () => {
  fc.assert(
    fc.property(text, (value) => {
      const bytes = Buffer.alloc(Buffer.byteLength(value));
      writeWtf8(value, bytes, 0);
      expect(bytes).toEqual(bytesOfText(value));
      expect(decodeWtf8(bytes)).toBe(value);
    }),
  );
});

test('JSON text with lone surrogates escaped parses to what it was', () => {
  fc.assert(
    fc.property(text, (value) => {
      const json = Buffer.concat([
        Buffer.from('"'),
        bytesOfText(value.replace(/["\\\n\r\t]|[^\P{Cc}]/gu, '')),
        Buffer.from('"'),
      ]);
      expect(JSON.parse(decodeWtf8(json, escapeSurrogate))).toBe(value.replace(/["\\\n\r\t]|[^\P{Cc}]/gu, ''));
    }),
  );
});

test('bytes that are no text become U+FFFD, what is around them stays', () => {
  expect(decodeWtf8(Buffer.from([0x41, 0xff, 0xed, 0xa0, 0x80, 0x42, 0xed]))).toBe('A\ufffd\ud800B\ufffd');
});
