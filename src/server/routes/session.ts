import { type Context, Hono } from 'hono';
import { RollstreamError } from '../../errors.ts';
import type { Asking, Callers } from '../auth/callers.ts';
import { jsonBody, onlyFields, textOf } from '../request-value.ts';

export interface SessionAnswer {
  readonly needs_token: boolean;
  /** The request says by a cookie or a token that it may ask; false where no token is needed. */
  readonly signed_in: boolean;
}

/**
 * `GET /v1/session`: whether a token is needed, and was given. `POST {token}`: a cookie for it, for pages. `DELETE` takes it away.
 * None of them needs the token.
 */
export function sessionRoutes(callers: Callers, askingOf: (c: Context) => Asking): Hono {
  const answer = (signedIn: boolean): SessionAnswer => ({
    needs_token: callers.needsToken(),
    signed_in: callers.needsToken() && signedIn,
  });
  return new Hono()
    .get('/session', (c) => c.json(answer(isKnown(callers, askingOf(c))), 200, NOT_KEPT))
    .post('/session', async (c) => {
      const body = await jsonBody(c);
      onlyFields(body, ['token']);
      const cookie = callers.signIn(textOf(body, 'token'), askingOf(c));
      return c.json(answer(true), 200, { ...NOT_KEPT, ...(cookie === null ? {} : { 'set-cookie': cookie }) });
    })
    .delete('/session', (c) => c.json(answer(false), 200, { ...NOT_KEPT, 'set-cookie': callers.signOut(askingOf(c)) }));
}

const NOT_KEPT = { 'cache-control': 'no-store' };

function isKnown(callers: Callers, asking: Asking): boolean {
  try {
    callers.check(asking);
    return true;
  } catch (error) {
    if (error instanceof RollstreamError && error.code === 'RS_UNAUTHORIZED') return false;
    throw error;
  }
}
