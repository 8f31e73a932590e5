import { expect, it } from 'vitest';
import { createSealedSessions, isSealed } from '../../../../src/server/auth/sealed-session.ts';

const KEY = Buffer.alloc(32, 7);
const TOKEN = `rs_${'x'.repeat(43)}`;
const NOW = 1_700_000_000_000;
const opened = (key = KEY, ms = NOW) => createSealedSessions(key, () => ms);

it('holds the token for twelve hours, and never shows it', () => {
  const value = opened().issue(TOKEN);
  expect(isSealed(value)).toBe(true);
  expect(value).toMatch(/^[\w.-]+$/);
  expect(value).not.toContain('x'.repeat(8));
  expect(opened(KEY, NOW + 12 * 3_600_000 - 1_000).open(value)).toEqual({ token: TOKEN });
  expect(opened(KEY, NOW + 12 * 3_600_000).open(value)).toBe('old');
});

it('no two are alike', () => {
  expect(opened().issue(TOKEN)).not.toBe(opened().issue(TOKEN));
});

it('with another key, or another end, it is forged', () => {
  const value = opened().issue(TOKEN);
  expect(opened(Buffer.alloc(32, 8)).open(value)).toBe('forged');
  const [kind, ends = '', ...rest] = value.split('.');
  expect(opened().open([kind, String(Number(ends) + 1), ...rest].join('.'))).toBe('forged');
});

it('each byte of it counts', () => {
  const value = opened().issue(TOKEN);
  const at = value.lastIndexOf('.') + 1;
  for (let n = at; n < value.length - 1; n += 7) {
    const other = value[n] === 'A' ? 'B' : 'A';
    expect(opened().open(`${value.slice(0, n)}${other}${value.slice(n + 1)}`)).toBe('forged');
  }
});

it.each(['', 't.', 't.1.2.3', 'x', `t.9999999999.${'a'.repeat(16)}.`])('%j is no session', (value) => {
  expect(opened().open(value)).toBe('old');
});
