import { expect, it } from 'vitest';
import { CHAR_CLASSES } from '../../../processors/tokenize/char-classes.ts';
import { libraryCharClasses } from './library-char-classes.ts';

it('every character of Unicode is of the class that the library has it in', () => {
  const expected = libraryCharClasses();
  const others = [...CHAR_CLASSES.keys()].filter((code) => CHAR_CLASSES[code] !== expected[code]);
  expect(others.map((code) => code.toString(16))).toEqual([]);
});
