import { expect, it } from 'vitest';
import { align, firstDifference, wordsOf } from '../../../../../web/src/pages/audits/align.ts';

it('what was lost in the middle leaves a gap, and what follows stands beside itself again', () => {
  const pairs = align([1, 2, 5, 6], [1, 2, 3, 4, 5, 6]);
  expect(pairs.map(({ was }) => was)).toEqual([1, 2, null, null, 5, 6]);
  expect(pairs.map(({ expected }) => expected)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(firstDifference(pairs)).toBe(2);
});

it('what was replaced stands beside what replaced it', () => {
  expect(align([72239, 1718, 1, 304], [39, 83722, 1, 304])).toEqual([
    { was: 72239, expected: 39 },
    { was: 1718, expected: 83722 },
    { was: 1, expected: 1 },
    { was: 304, expected: 304 },
  ]);
});

it('equal items between two differences are found, not only at the ends', () => {
  const pairs = align([...'xbcy'], [...'abcd']);
  expect(pairs.filter(({ was, expected }) => was === expected).map(({ was }) => was)).toEqual(['b', 'c']);
});

it('equal sequences and empty ones have no difference', () => {
  expect(firstDifference(align([1, 2], [1, 2]))).toBe(-1);
  expect(align([], [])).toEqual([]);
});

it('sequences too long for a table are paired place by place', () => {
  const long = Array.from({ length: 1_500 }, (_, i) => i);
  const pairs = align(
    long.map((id) => 2 * id),
    long.map((id) => 2 * id + 1),
  );
  expect(pairs).toHaveLength(1_500);
  expect(pairs[7]).toEqual({ was: 14, expected: 15 });
});

it('words, blanks and signs are compared each for itself, and nothing of a text is lost', () => {
  expect(wordsOf('{"a": 1}\n')).toEqual(['{', '"', 'a', '"', ':', ' ', '1', '}', '\n']);
  expect(wordsOf('naïve 文 🙂').join('')).toBe('naïve 文 🙂');
});
