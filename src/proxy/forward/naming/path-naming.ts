import { checkedCount, checkedId, refused } from './checked-id.ts';

/** What stands before a path that an engine knows. */
export interface PathPrefix {
  readonly token: string | null;
  readonly run: string | null;
  readonly rollout: string | null;
  readonly attempt: number | null;
  /** What is left: it goes to the upstream as the client wrote it. */
  readonly target: string;
}

const FIELD = 'path';

/** `/k/<token>/r/<run>/<rollout>[@attempt]/…`, either part or none; ids are percent-encoded. RS_USAGE where one is there and torn. */
export function pathPrefix(target: string): PathPrefix {
  // As a client sends it that takes this for a proxy of the web.
  if (!target.startsWith('/')) throw refused(FIELD, 'a path is needed: this is a base URL, not an HTTP proxy');
  const token = /^\/k\/([^/?#]+)(\/.*)$/.exec(target);
  const rest = token?.[2] ?? target;
  const known = { token: token?.[1] === undefined ? null : decoded(token[1], 'the token') };
  if (!/^\/r(?:\/|\?|$)/.test(rest)) return { ...known, run: null, rollout: null, attempt: null, target: rest };
  const [, run, name, behind] = /^\/r\/([^/?#]*)\/([^/?#]*)(\/.*)$/.exec(rest) ?? [];
  if (run === undefined || name === undefined || behind === undefined) {
    throw refused(
      FIELD,
      'expected /r/<run>/<rollout>/v1/…, or /r/<run>/<rollout>@<attempt>/v1/…; a slash in an id is %2F',
    );
  }
  // An @ that belongs to an id is %40.
  const [, id, attempt] = /^(.*)@([^@]*)$/.exec(name) ?? [null, name, null];
  return {
    ...known,
    run: pathId(run, 'the run'),
    rollout: pathId(id ?? '', 'the rollout'),
    attempt: attempt === null || attempt === undefined ? null : checkedCount(attempt, `${FIELD}: the attempt`, 0),
    target: behind,
  };
}

function pathId(segment: string, what: string): string {
  const id = checkedId(decoded(segment, what), `${FIELD}: ${what}`);
  // Whatever resolves a URL takes these segments, and the one before, out of it.
  if (id === '.' || id === '..') throw refused(FIELD, `${what} may not be ${id}`);
  return id;
}

function decoded(segment: string, what: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refused(FIELD, `${what} is not percent-encoded UTF-8: ${JSON.stringify(segment.slice(0, 80))}`);
  }
}
