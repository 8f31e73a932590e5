import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Somebody who signed in is known for so long. */
export const SESSION_MS = 12 * 3_600_000;

/** Sessions that nobody has to remember: a restart ends none, another token ends all. */
export interface Sessions {
  issue(): string;
  /** `forged`: made without the token, or with another one; `old`: it ran out, or is no session at all. */
  judge(value: string): 'good' | 'forged' | 'old';
}

/** When it ends, in s; what makes it unlike others; and that whoever made it knew the token. */
const SHAPE = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/;
const PURPOSE = 'rollstream session 1';

/** `now` in ms since the epoch. */
export function createSessions(token: string, now: () => number): Sessions {
  const macOf = (ends: string, nonce: string): Buffer =>
    createHmac('sha256', token).update(`${PURPOSE}\n${ends}.${nonce}`).digest();
  return {
    issue() {
      const ends = String(Math.floor((now() + SESSION_MS) / 1000));
      const nonce = randomBytes(16).toString('base64url');
      return `${ends}.${nonce}.${macOf(ends, nonce).toString('base64url')}`;
    },
    judge(value) {
      const [, ends = '', nonce = '', mac = ''] = SHAPE.exec(value) ?? [];
      if (ends === '' || Number(ends) * 1000 <= now()) return 'old';
      return timingSafeEqual(Buffer.from(mac, 'base64url'), macOf(ends, nonce)) ? 'good' : 'forged';
    },
  };
}
