import type { Context, MiddlewareHandler } from 'hono';
import type { Sender } from '../listen.ts';
import type { Caller } from './caller.ts';
import type { Asking, Callers } from './callers.ts';

/** What a request came over, as `fetch` is told beside it; and who sends it. */
export interface SenderEnv {
  Bindings: Partial<Sender>;
  Variables: { caller?: Caller };
}

/** Lets nobody by who may not ask, but for what is open to all. What a caller may do is for check-access.ts. */
export function requireCaller(
  callers: Callers,
  { open }: { readonly open: ReadonlySet<string> },
): MiddlewareHandler<SenderEnv> {
  return async function requiredCaller(c, next) {
    if (!open.has(c.req.path)) {
      const { caller, by, token } = callers.check(askingOf(c));
      c.set('caller', caller);
      // Whoever it is forwarded to is another host, where no cookie of this one is sent: it gets the token of the session, no other.
      if (by === 'cookie') c.req.raw.headers.set('authorization', `Bearer ${token}`);
    }
    await next();
  };
}

/** Where nobody was asked who they are, nothing may be decided by it. */
export function callerOf(c: Context<SenderEnv>): Caller {
  const caller = c.get('caller');
  if (caller === undefined) throw new Error(`who asks ${c.req.path} was not looked at`);
  return caller;
}

export function askingOf(c: Context<SenderEnv>): Asking {
  return { method: c.req.method, header: (name) => c.req.header(name), address: c.env?.address ?? '' };
}
