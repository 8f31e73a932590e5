import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../config/is-loopback.ts';
import { RollstreamError } from '../errors.ts';

export interface GuardConfig {
  /** Where the server listens. */
  readonly host: string;
  readonly token: string | null;
}

/** Who may ask: throws RS_UNAUTHORIZED. The probes are exempt from the token, never from the other checks. */
export interface Guard {
  /**
   * A page that a browser has open may name us under a host of its own (DNS rebinding): on loopback only names of loopback
   * are answered.
   */
  checkHost(hostHeader: string | undefined): void;
  /** A browser names the page that asks; only our own may. Without this, any page could send a simple POST. */
  checkOrigin(origin: string | undefined, hostHeader: string | undefined): void;
  checkToken(authorization: string | undefined): void;
}

export function createGuard(config: GuardConfig): Guard {
  const expected = config.token === null ? null : digest(config.token);
  const local = isLoopback(config.host);
  return {
    checkHost(hostHeader) {
      if (!local) return;
      const name = (hostHeader ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
      if (!isLoopback(name)) {
        throw new RollstreamError('RS_UNAUTHORIZED', 'this server answers to localhost only', {
          facts: { field: 'host' },
        });
      }
    },
    checkOrigin(origin, hostHeader) {
      if (origin === undefined || origin.replace(/^https?:\/\//, '') === hostHeader) return;
      throw new RollstreamError('RS_UNAUTHORIZED', 'requests from pages of another origin are refused', {
        facts: { field: 'origin' },
      });
    },
    checkToken(authorization) {
      if (expected === null) return;
      const given = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
      // Digests have equal length, so that the comparison tells neither the length nor a prefix.
      if (given === undefined || !timingSafeEqual(digest(given), expected)) {
        throw new RollstreamError('RS_UNAUTHORIZED', 'a bearer token is needed (http.token, ROLLSTREAM_HTTP_TOKEN)', {
          facts: { field: 'authorization' },
        });
      }
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
