import { checkedId, refused } from '../naming/checked-id.ts';

/** Paths of the proxy itself, which never go to the upstream. */
export type OwnPath =
  | { readonly kind: 'healthz' | 'status' | 'metrics' | 'verdicts' | 'unknown' }
  | { readonly kind: 'end'; readonly rollout: string };

/** null: it is the upstream's. `target`: path and query. */
export function ownPathOf(target: string): OwnPath | null {
  const path = target.split('?')[0] ?? '';
  if (path === '/v1/verdicts') return { kind: 'verdicts' };
  const id = /^\/v1\/rollouts\/([^/]+)\/end$/.exec(path)?.[1];
  if (id !== undefined) return { kind: 'end', rollout: rolloutOf(id) };
  if (!/^\/rollstream(?:\/|$)/.test(path)) return null;
  const name = path.slice('/rollstream/'.length);
  return { kind: name === 'healthz' || name === 'status' || name === 'metrics' ? name : 'unknown' };
}

function rolloutOf(segment: string): string {
  try {
    return checkedId(decodeURIComponent(segment), 'path: the rollout');
  } catch (error) {
    if (error instanceof URIError) throw refused('path', 'the rollout is not percent-encoded UTF-8');
    throw error;
  }
}
