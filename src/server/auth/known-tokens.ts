import { createHash, timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Caller } from './caller.ts';
import { type KeptToken, readTokenFile, type TokenFile } from './token-file.ts';

/** The tokens of the token file, as of a second ago at most. */
export interface KnownTokens {
  /** There is a file: nobody is let in without one, were there none in it. */
  areNeeded(): boolean;
  /** `ended`: it was revoked, or has expired. null: there is no such token. */
  find(digest: Buffer): Caller | 'ended' | null;
  /** What cookies of tokens are sealed with; null while there are no tokens. */
  sessionKey(): Buffer | null;
}

export interface KnownTokensDeps {
  readonly log: Logger;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** A file that has changed is seen after so long. */
const LOOK_MS = 1_000;

interface Known {
  readonly byDigest: ReadonlyMap<string, { readonly token: KeptToken; readonly caller: Caller }>;
  readonly sessionKey: Buffer;
}

/** null: there is no file. */
export const NO_TOKENS: KnownTokens = { areNeeded: () => false, find: () => null, sessionKey: () => null };

/** As a token is kept. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * RS_CONFIG where the file is damaged now. Once it is open the last good one stays in force: neither a half-written file nor one
 * that was deleted opens the server to everybody, or closes it to all.
 */
export function openKnownTokens(path: string, { log, now }: KnownTokensDeps): KnownTokens {
  let seen = stampOf(path);
  const first = readTokenFile(path);
  let known = first === null ? null : knownOf(first);
  let lookedAt = now();

  function current(): Known | null {
    // A clock that was set back must not stop it.
    if (Math.abs(now() - lookedAt) < LOOK_MS) return known;
    lookedAt = now();
    const stamp = stampOf(path);
    if (stamp === seen) return known;
    try {
      const file = readTokenFile(path);
      if (file === null) log.error({ file: path }, 'the token file is gone: the tokens that it had stay in force');
      else known = knownOf(file);
    } catch (error) {
      log.error({ err: error }, 'the token file cannot be read: the tokens that it had stay in force');
    }
    seen = stamp;
    return known;
  }

  return {
    areNeeded: () => current() !== null,
    find(digest) {
      const found = current()?.byDigest.get(digest.toString('hex'));
      if (found === undefined || !timingSafeEqual(digest, Buffer.from(found.token.sha256, 'hex'))) return null;
      const { token, caller } = found;
      const isOver = token.expires_at !== null && Date.parse(token.expires_at) <= now();
      return isOver || token.revoked_at !== null ? 'ended' : caller;
    },
    sessionKey: () => current()?.sessionKey ?? null,
  };
}

function knownOf(file: TokenFile): Known {
  const byDigest = new Map(file.tokens.map((token) => [token.sha256, { token, caller: callerOfToken(token) }]));
  return { byDigest, sessionKey: Buffer.from(file.session_key, 'hex') };
}

function callerOfToken({ id, name, role, runs }: KeptToken): Caller {
  return { id, name, role, runs: runs === null ? null : new Set(runs) };
}

/**
 * Another one after each change: the file is replaced, so that its inode changes even where time and size do not. What cannot even be
 * looked at (a folder above it is closed, its link leads back to itself) is told by whoever reads it then.
 */
function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '' : [found.dev, found.ino, found.mtimeNs, found.size].join('/');
  } catch {
    return 'unreadable';
  }
}
