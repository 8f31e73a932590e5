import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSessions } from '../../../../src/server/auth/session-cookie.ts';

const TOKEN = 'a-token-of-some-length';
const BEGAN = Date.UTC(2026, 0, 2, 3, 4, 5);
const HOUR = 3_600_000;

it('is good for twelve hours, also after a restart and on another server with the same token', () => {
  const value = createSessions(TOKEN, () => BEGAN).issue();
  const at = (ms: number) => createSessions(TOKEN, () => BEGAN + ms).judge(value);
  expect(at(0)).toBe('good');
  expect(at(12 * HOUR - 1_000)).toBe('good');
  expect(at(12 * HOUR)).toBe('old');
});

it('is no two times the same, and says nothing of the token', () => {
  const sessions = createSessions(TOKEN, () => BEGAN);
  const values = [sessions.issue(), sessions.issue()];
  expect(new Set(values).size).toBe(2);
  for (const value of values) expect(value).not.toContain(TOKEN);
});

it('is forged where any of it was changed, or another token made it', () => {
  const sessions = createSessions(TOKEN, () => BEGAN);
  const [ends = '', nonce = '', mac = ''] = sessions.issue().split('.');
  const changed = `${nonce.startsWith('A') ? 'B' : 'A'}${nonce.slice(1)}`;
  expect(sessions.judge(`${Number(ends) + 1}.${nonce}.${mac}`)).toBe('forged');
  expect(sessions.judge(`${ends}.${changed}.${mac}`)).toBe('forged');
  expect(sessions.judge(`${ends}.${nonce}.${'A'.repeat(43)}`)).toBe('forged');
  expect(sessions.judge(createSessions(`${TOKEN}x`, () => BEGAN).issue())).toBe('forged');
});

it('is an HMAC-SHA-256 by the token over what it says', () => {
  const [ends = '', nonce = '', mac] = createSessions(TOKEN, () => BEGAN)
    .issue()
    .split('.');
  expect(ends).toBe(String(BEGAN / 1000 + 43_200));
  const expected = createHmac('sha256', TOKEN).update(`rollstream session 1\n${ends}.${nonce}`).digest('base64url');
  expect(mac).toBe(expected);
});

it('what is no session is none', () => {
  const sessions = createSessions(TOKEN, () => BEGAN);
  for (const value of ['', '.', 'x.y.z', TOKEN, `${sessions.issue()}x`, `${sessions.issue()}.`])
    expect(sessions.judge(value), value).toBe('old');
});
