import { expect, it } from 'vitest';
import { hexText, readableText } from '../../../src/cli/byte-text.ts';

it('bytes are text when they are UTF-8 without control characters but tab and line break', () => {
  expect(readableText(Buffer.from('{"a": "ä"}\n\t'))).toBe('{"a": "ä"}\n\t');
  expect(readableText(Buffer.from([0x7b, 0xff]))).toBeNull();
  expect(readableText(Buffer.from('a\0b'))).toBeNull();
  expect(readableText(Buffer.from('\x1b[2J'))).toBeNull();
});

it('else they are shown as hexdump -C shows them', () => {
  const bytes = Buffer.concat([Buffer.from('rollstream shows'), Buffer.from([0, 0x7f, 0xff])]);
  expect(hexText(bytes)).toBe(
    [
      '00000000  72 6f 6c 6c 73 74 72 65 61 6d 20 73 68 6f 77 73  |rollstream shows|',
      '00000010  00 7f ff                                         |...|',
    ].join('\n'),
  );
});
