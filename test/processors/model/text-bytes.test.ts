import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOfText, textOfBytes } from '../../../processors/model/text-bytes.ts';

it('any text comes back, lone surrogates included', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 30 }), (units) => {
      const text = String.fromCharCode(...units);
      expect(textOfBytes(bytesOfText(text))).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

it('well-formed text is plain UTF-8', () => {
  expect(bytesOfText('aé€😀').toString('hex')).toBe('61c3a9e282acf09f9880');
});

it('lone surrogates are three bytes each', () => {
  expect(bytesOfText('\udfff\ud800').toString('hex')).toBe('edbfbf' + 'eda080');
});

it('different texts never become one', () => {
  const texts = ['\ud800', '\ud801', '\udc00', '\ufffd', '\ufffd\ufffd', '😀', '\ude00\ud83d'];
  expect(new Set(texts.map((text) => bytesOfText(text).toString('hex'))).size).toBe(texts.length);
});

it('bytes that are no text are null', () => {
  for (const hex of ['ff', 'c0af', 'e282', 'eda0', 'eda0bdedb880', 'f8888080']) {
    expect(textOfBytes(Buffer.from(hex, 'hex'))).toBeNull();
  }
});

it('a surrogate beside real U+FFFD and other text is found', () => {
  expect(textOfBytes(Buffer.from('efbfbd' + 'eda080' + 'ed959c' + 'ed8080', 'hex'))).toBe('\ufffd\ud800한\ud000');
});
