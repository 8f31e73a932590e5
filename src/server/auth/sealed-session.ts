import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { SESSION_MS } from './session-cookie.ts';

/**
 * Sessions of tokens of the token file: the token itself, sealed. So its session ends when it does, has its rights and no others,
 * and a server that forwards has it to pass on. No server remembers one; whoever has the key alone can make none that is good.
 */
export interface SealedSessions {
  issue(token: string): string;
  /** The token; `forged`: sealed by nobody who has the key; `old`: it ran out, or is no such session at all. */
  open(value: string): { readonly token: string } | 'forged' | 'old';
}

/** When it ends, in s; the nonce; the token and its tag, sealed. */
const SHAPE = /^t\.(\d{1,12})\.([\w-]{16})\.([\w-]{22,400})$/;
const [CIPHER, TAG_BYTES, PURPOSE] = ['aes-256-gcm', 16, 'rollstream token session 1'] as const;

/** Another kind of session has no such beginning. */
export function isSealed(value: string): boolean {
  return value.startsWith('t.');
}

/** `now` in ms since the epoch. */
export function createSealedSessions(key: Buffer, now: () => number): SealedSessions {
  const cipherKey = createHash('sha256').update(`${PURPOSE}\n`).update(key).digest();
  return {
    issue(token) {
      const ends = String(Math.floor((now() + SESSION_MS) / 1000));
      const nonce = randomBytes(12);
      const cipher = createCipheriv(CIPHER, cipherKey, nonce).setAAD(Buffer.from(ends));
      const sealed = Buffer.concat([cipher.update(token, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `t.${ends}.${nonce.toString('base64url')}.${sealed.toString('base64url')}`;
    },
    open(value) {
      const [, ends = '', nonce = '', text = ''] = SHAPE.exec(value) ?? [];
      if (ends === '' || Number(ends) * 1000 <= now()) return 'old';
      const sealed = Buffer.from(text, 'base64url');
      const at = sealed.length - TAG_BYTES;
      if (at < 0) return 'forged';
      try {
        const open = createDecipheriv(CIPHER, cipherKey, Buffer.from(nonce, 'base64url'));
        open.setAAD(Buffer.from(ends)).setAuthTag(sealed.subarray(at));
        return { token: Buffer.concat([open.update(sealed.subarray(0, at)), open.final()]).toString('utf8') };
      } catch {
        return 'forged';
      }
    },
  };
}
