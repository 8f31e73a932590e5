import type { SessionAnswer } from '../../../src/server/routes/session.ts';
import { getJson, postJson } from './request.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

export function useSession(): Loaded<SessionAnswer> {
  return useLoaded('session', (signal) => getJson<SessionAnswer>('v1/session', signal));
}

/** The token becomes a cookie that no script can read, this one included. */
export function signIn(token: string): Promise<SessionAnswer> {
  return postJson('v1/session', { token });
}

export async function signOut(): Promise<void> {
  await fetch('v1/session', { method: 'DELETE', credentials: 'same-origin' });
}
