import { expect, it } from 'vitest';
import { isDocument } from '../../../src/ingest/is-document.ts';

it.each([
  ['an array', '[{"a": 1}]', true],
  ['an object over many lines', '{\n  "a": 1\n}\n', true],
  ['an object that goes on with a key behind its first one', '{"a": [\n"x"], "b": 2}', true],
  ['an object behind blank lines and a byte order mark', '\ufeff\n \r\n{\r\n\t"a": 1}', true],
  ['JSON Lines', '{"a": 1}\n{"a": 2}\n', false],
  ['JSON Lines whose first line is torn', '{"a": tru\n{"a": 2}\n', false],
  ['one line', '{"a": 1}', false],
  ['text', 'hello\n"x"', false],
  ['nothing', '', false],
])('%s', (_, text, is) => {
  expect(isDocument(Buffer.from(text))).toBe(is);
});
