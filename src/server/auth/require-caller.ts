import type { Context, MiddlewareHandler } from 'hono';
import type { Sender } from '../listen.ts';
import type { Asking, Callers } from './callers.ts';

/** What a request came over, as `fetch` is told beside it. */
export interface SenderEnv {
  Bindings: Partial<Sender>;
}

/** Lets nobody by who may not ask, but for what is open to all. */
export function requireCaller(
  callers: Callers,
  { token, open }: { readonly token: string | null; readonly open: ReadonlySet<string> },
): MiddlewareHandler<SenderEnv> {
  return async function requiredCaller(c, next) {
    const knownBy = open.has(c.req.path) ? 'anybody' : callers.check(askingOf(c));
    // Whoever it is forwarded to is another host, where no session of this one is good.
    if (knownBy === 'cookie') c.req.raw.headers.set('authorization', `Bearer ${token}`);
    await next();
  };
}

export function askingOf(c: Context<SenderEnv>): Asking {
  return { method: c.req.method, header: (name) => c.req.header(name), address: c.env?.address ?? '' };
}
