import { RollstreamError } from '../../errors.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { createSessions, SESSION_MS } from './session-cookie.ts';
import { createTokenCheck, unauthorized } from './token-check.ts';

/** What a request says of who sends it. */
export interface Asking {
  readonly method: string;
  readonly header: (name: string) => string | undefined;
  /** Remote address. */
  readonly address: string;
}

/** Who may use the API. */
export interface Callers {
  readonly needsToken: boolean;
  /** How they are known; throws RS_UNAUTHORIZED or RS_TOO_MANY_ATTEMPTS. */
  check(asking: Asking): 'anybody' | 'bearer' | 'cookie';
  /** The cookie of whoever knows the token; throws as check does. null: no token is needed. */
  signIn(token: string, asking: Asking): string | null;
  /** Takes the cookie away. */
  signOut(asking: Asking): string;
}

export interface CallersDeps {
  readonly failures: FailedAttempts;
  /** ms since the epoch. */
  readonly now: () => number;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Sessions that were found good; those pass while their address has too many failures. */
const MOST_SEEN = 1_000;

export function createCallers(token: string | null, { failures, now }: CallersDeps): Callers {
  if (token === null)
    return {
      needsToken: false,
      check: () => 'anybody',
      signIn: () => null,
      signOut: (asking) => cookieOf(asking, '', 0),
    };
  const checkToken = createTokenCheck(token, failures);
  const sessions = createSessions(token, now);
  const seen = new Set<string>();

  /** A cookie is a guess of the token like any other: whoever guesses can make one. */
  const checkSession = (value: string, address: string): void => {
    if (!seen.has(value)) failures.check(address);
    const judged = sessions.judge(value);
    if (judged === 'forged') failures.failed(address, value);
    if (judged !== 'good') throw unauthorized();
    if (seen.size >= MOST_SEEN) seen.clear();
    seen.add(value);
  };

  return {
    needsToken: true,
    check(asking) {
      const { method, header, address } = asking;
      const bearer = /^Bearer (\S+)$/i.exec(header('authorization') ?? '')?.[1];
      const session = bearer === undefined ? sessionIn(asking) : null;
      if (session === null) {
        checkToken(bearer ?? null, address);
        return 'bearer';
      }
      checkSession(session, address);
      if (!SAFE_METHODS.has(method) && !isFromOwnPage(header)) {
        throw new RollstreamError('RS_UNAUTHORIZED', 'a session may change things from its own page alone', {
          facts: { field: 'origin' },
        });
      }
      return 'cookie';
    },
    signIn(given, asking) {
      checkToken(given, asking.address);
      return cookieOf(asking, sessions.issue(), SESSION_MS / 1000);
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
