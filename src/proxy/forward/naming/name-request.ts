import type { NamedBy } from '../../journal/call-head.ts';
import { refused } from './checked-id.ts';
import { headerNaming, TOKEN_HEADER } from './header-naming.ts';
import { pathPrefix } from './path-naming.ts';

/** A request, by what its client said of it. */
export interface NamedRequest {
  readonly named: NamedBy;
  readonly token: string | null;
  /** Path and query as the upstream gets them. */
  readonly target: string;
}

/** Throws RS_USAGE with the field. A header and the path may say the same, not two things. */
export function nameRequest(url: string, rawHeaders: readonly string[]): NamedRequest {
  const { token, target, ...path } = pathPrefix(url);
  const headers = headerNaming(rawHeaders);
  const named: NamedBy = {
    ...headers,
    run: oneOf('run', headers.run, path.run),
    rollout: oneOf('rollout', headers.rollout, path.rollout),
    attempt: oneOf('attempt', headers.attempt, path.attempt),
  };
  if (named.attempt !== null && named.rollout === null) {
    throw refused('x-rollstream-attempt', 'of which rollout? x-rollstream-rollout is needed beside it');
  }
  if (named.groupSize !== null && named.group === null) {
    throw refused('x-rollstream-group-size', 'of which group? x-rollstream-group is needed beside it');
  }
  return { named, token: headerOf(rawHeaders, TOKEN_HEADER) ?? token, target };
}

function oneOf<T>(name: string, header: T | null, path: T | null): T | null {
  if (header === null || path === null || header === path) return header ?? path;
  throw refused(`x-rollstream-${name}`, `the path says ${JSON.stringify(path)}, the header ${JSON.stringify(header)}`);
}

function headerOf(rawHeaders: readonly string[], name: string): string | null {
  const at = rawHeaders.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? null : (rawHeaders[at + 1] ?? null);
}
