import { RollstreamError } from '../../errors.ts';
import { ANYBODY, type Caller, CONFIGURED } from './caller.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { digestOf, type KnownTokens } from './known-tokens.ts';
import { createSealedSessions, isSealed, type SealedSessions } from './sealed-session.ts';
import { createSessions, SESSION_MS } from './session-cookie.ts';
import { createTokenCheck, tokenEnded, unauthorized } from './token-check.ts';

/** What a request says of who sends it. */
export interface Asking {
  readonly method: string;
  readonly header: (name: string) => string | undefined;
  /** Remote address. */
  readonly address: string;
}

/** Who was let in. */
export interface Known {
  readonly by: 'anybody' | 'bearer' | 'cookie';
  readonly caller: Caller;
  /** What they have shown, or what their session stands for; '' where no token is needed. */
  readonly token: string;
}

/** Who may use the API. */
export interface Callers {
  /** Nobody is let in without one; it may change while the server runs, when a first token is made. */
  needsToken(): boolean;
  /** Who asks; throws RS_UNAUTHORIZED or RS_TOO_MANY_ATTEMPTS. */
  check(asking: Asking): Known;
  /** The cookie of whoever knows a token; throws as check does. null: no token is needed. */
  signIn(token: string, asking: Asking): string | null;
  /** Takes the cookie away. */
  signOut(asking: Asking): string;
}

export interface CallersDeps {
  readonly tokens: KnownTokens;
  readonly failures: FailedAttempts;
  /** ms since the epoch. */
  readonly now: () => number;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Sessions that were found good; those pass while their address has too many failures. */
const MOST_SEEN = 1_000;

/** `token`: `http.token`; null: none. */
export function createCallers(token: string | null, { tokens, failures, now }: CallersDeps): Callers {
  const checkToken = createTokenCheck({ token, tokens }, failures);
  const sessions = token === null ? null : createSessions(token, now);
  const seen = new Set<string>();
  const needsToken = (): boolean => token !== null || tokens.areNeeded();
  const sealed = (): SealedSessions | null => {
    const key = tokens.sessionKey();
    return key === null ? null : createSealedSessions(key, now);
  };

  /** Whose token a session stands for. */
  const judge = (value: string): Omit<Known, 'by'> | 'forged' | 'old' => {
    if (!isSealed(value)) {
      const judged = sessions?.judge(value) ?? 'old';
      return judged === 'good' && token !== null ? { caller: CONFIGURED, token } : judged === 'forged' ? judged : 'old';
    }
    const opened = sealed()?.open(value) ?? 'old';
    if (typeof opened === 'string') return opened;
    const caller = tokens.find(digestOf(opened.token));
    if (caller === 'ended') throw tokenEnded();
    return caller === null ? 'forged' : { caller, token: opened.token };
  };

  /** A cookie is a guess of the token like any other: whoever guesses can make one. */
  const checkSession = (value: string, address: string): Omit<Known, 'by'> => {
    if (!seen.has(value)) failures.check(address);
    const judged = judge(value);
    if (judged === 'forged') failures.failed(address, value);
    if (typeof judged === 'string') throw unauthorized();
    if (seen.size >= MOST_SEEN) seen.clear();
    seen.add(value);
    return judged;
  };

  return {
    needsToken,
    check(asking) {
      if (!needsToken()) return { by: 'anybody', caller: ANYBODY, token: '' };
      const { method, header, address } = asking;
      const bearer = /^Bearer (\S+)$/i.exec(header('authorization') ?? '')?.[1];
      const session = bearer === undefined ? sessionIn(asking) : null;
      if (session === null) return { by: 'bearer', caller: checkToken(bearer ?? null, address), token: bearer ?? '' };
      const known = checkSession(session, address);
      if (!SAFE_METHODS.has(method) && !isFromOwnPage(header)) {
        throw new RollstreamError('RS_UNAUTHORIZED', 'a session may change things from its own page alone', {
          facts: { field: 'origin' },
        });
      }
      return { by: 'cookie', ...known };
    },
    signIn(given, asking) {
      if (!needsToken()) return null;
      const isConfigured = checkToken(given, asking.address) === CONFIGURED;
      const session = (isConfigured ? sessions?.issue() : sealed()?.issue(given)) ?? '';
      return cookieOf(asking, session, SESSION_MS / 1000);
    },
    signOut: (asking) => cookieOf(asking, '', 0),
  };
}

/** A browser says so of every request that may change something; that the origin is our own was checked before (guard.ts). */
function isFromOwnPage(header: Asking['header']): boolean {
  return header('origin') !== undefined || header('sec-fetch-site') === 'same-origin';
}

/** Cookies do not tell ports apart, and several servers may be on one host. */
function cookieName({ header }: Asking): string {
  return `rollstream_session_${/:(\d+)$/.exec(header('host') ?? '')?.[1] ?? ''}`;
}

function sessionIn(asking: Asking): string | null {
  const name = `${cookieName(asking)}=`;
  const cookies = (asking.header('cookie') ?? '').split(/; */);
  return cookies.find((cookie) => cookie.startsWith(name))?.slice(name.length) ?? null;
}

/**
 * Over https where the page is, as the browser says by its origin: we only ever see what a proxy makes of it, and what a header of a
 * proxy says anybody can say.
 */
function cookieOf(asking: Asking, value: string, seconds: number): string {
  const secure = asking.header('origin')?.startsWith('https://') ? '; Secure' : '';
  return `${cookieName(asking)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}
