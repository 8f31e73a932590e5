import { describe, expect, it } from 'vitest';
import { isMatch, readPattern } from '../../../processors/taxonomy/pattern.ts';

function matches(text: string, value: string): boolean {
  const pattern = readPattern(text);
  if ('problem' in pattern) throw new Error(pattern.problem);
  return isMatch(pattern, value);
}

describe('a pattern', () => {
  it('is of the whole value, each star any characters or none', () => {
    expect(matches('abc*', 'abc')).toBe(true);
    expect(matches('abc*', 'abcd')).toBe(true);
    expect(matches('abc*', 'xabc')).toBe(false);
    expect(matches('*abc', 'x.abc')).toBe(true);
    expect(matches('*abc', 'abcx')).toBe(false);
    expect(matches('a*b*cd', 'axxbyycd')).toBe(true);
    expect(matches('a*b*cd', 'axxcd')).toBe(false);
    expect(matches('*mid*', 'mid')).toBe(true);
  });

  it('does not use a character of the value twice', () => {
    expect(matches('aba*aba', 'aba')).toBe(false);
    expect(matches('aba*aba', 'ababa')).toBe(false);
    expect(matches('aba*aba', 'abaaba')).toBe(true);
    expect(matches('ab*bc*cd', 'abcd')).toBe(false);
    expect(matches('ab*bc*cd', 'abbccd')).toBe(true);
  });

  it('takes every other character as it is', () => {
    expect(matches('a.c(*)', 'a.c(1)')).toBe(true);
    expect(matches('a.c(*)', 'abc(1)')).toBe(false);
  });

  it('agrees with a regular expression on every short value', () => {
    const values = [''];
    for (let from = 0, length = 0; length < 7; length += 1) {
      const until = values.length;
      for (; from < until; from += 1) values.push(`${values[from]}a`, `${values[from]}b`);
    }
    for (const text of ['aba*', '*bab', 'ab*ba', 'a*b*a', '*aa*b', 'a*ab*b', '*a*b*a*']) {
      const expression = new RegExp(`^${text.replaceAll('*', '.*')}$`);
      for (const value of values)
        expect([text, value, matches(text, value)]).toEqual([text, value, expression.test(value)]);
    }
  });

  it('takes no longer for a value that almost matches: a million characters, four stars', () => {
    expect(matches('*aab*aab*aab*', `${'a'.repeat(1_000_000)}`)).toBe(false);
  });
});
