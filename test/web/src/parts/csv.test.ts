import { expect, it } from 'vitest';
import { csvOf } from '../../../../web/src/parts/csv.ts';

it('a null is an empty field and no empty text; quotes and lines stay within their field', () => {
  const rows = [
    { task: 'say "hi",\nthen go', reward: 0.5, tags: ['a', 'b'], ok: true },
    { task: '', reward: null, tags: [], ok: false },
  ];
  expect(csvOf(rows)).toBe(
    '"task","reward","tags","ok"\r\n"say ""hi"",\nthen go",0.5,"[""a"",""b""]",true\r\n"",,"[]",false\r\n',
  );
});
