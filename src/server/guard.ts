import { isLoopback } from '../config/is-loopback.ts';
import { RollstreamError } from '../errors.ts';

export interface GuardConfig {
  /** Where the server listens. */
  readonly host: string;
}

/** What a browser says of the page that asks, by headers that no page can set. */
export interface AskedBy {
  readonly origin: string | undefined;
  /** `sec-fetch-site` and `sec-fetch-mode`; on plain http of another machine browsers leave them out. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
}

/** Whose requests are looked at, whoever may ask (auth/callers.ts): throws RS_UNAUTHORIZED. */
export interface Guard {
  /**
   * A page that a browser has open may name us under a host of its own (DNS rebinding): on loopback only names of loopback
   * are answered.
   */
  checkHost(hostHeader: string | undefined): void;
  /** Only our own page may ask. Without this, any page could send a simple POST, or read lines as a script. A link to us may be followed. */
  checkOrigin(by: AskedBy, hostHeader: string | undefined): void;
}

export function createGuard(config: GuardConfig): Guard {
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
    checkOrigin({ origin, site, mode }, hostHeader) {
      const isOwn = origin === undefined || origin.replace(/^https?:\/\//, '') === hostHeader;
      const isOther = (site === 'cross-site' || site === 'same-site') && mode !== 'navigate';
      if (isOwn && !isOther) return;
      throw new RollstreamError('RS_UNAUTHORIZED', 'requests from pages of another origin are refused', {
        facts: { field: 'origin' },
      });
    },
  };
}
