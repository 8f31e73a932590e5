import type { Context, Hono } from 'hono';
import { routePath } from 'hono/route';
import { RollstreamError } from '../../errors.ts';
import { errorResponse } from '../error-response.ts';
import { isObject } from '../request-value.ts';
import { type Caller, mayUse } from './caller.ts';
import { callerOf, type SenderEnv } from './require-caller.ts';
import { pathOf, ROUTE_ACCESS, type RouteAccess } from './route-access.ts';

/**
 * Refuses what a token is not for (RS_FORBIDDEN), before anything is looked up: the same answer whether the run exists or not. `open`:
 * paths that nobody is asked on. What a route itself looks at (lists, records, leases) passes here.
 */
export function checkAccess(app: Hono<SenderEnv>, open: ReadonlySet<string>): void {
  app.use(async (c, next) => {
    const path = routePath(c, -1);
    // That there is no such route is for the end to say.
    if (!open.has(c.req.path) && path !== '/*' && !isListed(c.req.method, path)) {
      const caller = callerOf(c);
      if (caller.role !== 'operator' || caller.runs !== null) throw forbidden(caller, null, 'an operator of all runs');
    }
    await next();
  });
  // Each under its own pattern, so that a run is what the route will be told, and not what we make of the path.
  for (const [route, access] of Object.entries(ROUTE_ACCESS)) {
    if (access.roles === null) continue;
    const method = route.slice(0, route.indexOf(' '));
    app.on(method, pathOf(route), async (c, next) => {
      await checkRoute(c, access);
      await next();
      if (access.run.in === 'path' && callerOf(c).runs !== null) nameNoOthers(c);
    });
  }
}

/** That a run is not there is told to people with the name that comes nearest: here it would be one of others. */
function nameNoOthers(c: Context<SenderEnv>): void {
  const { error } = c;
  if (!(error instanceof RollstreamError) || error.code !== 'RS_NOT_FOUND' || error.facts.field !== 'run') return;
  const message = `no run is named ${c.req.param('run')}`;
  c.res = errorResponse(new RollstreamError('RS_NOT_FOUND', message, { facts: { field: 'run' } }));
}

function isListed(method: string, path: string): boolean {
  return Object.hasOwn(ROUTE_ACCESS, `${method === 'HEAD' ? 'GET' : method} ${path}`);
}

async function checkRoute(c: Context<SenderEnv>, { roles, run }: RouteAccess): Promise<void> {
  const caller = callerOf(c);
  if (roles !== null && !roles.includes(caller.role)) {
    const asked = run.in === 'path' ? (c.req.param('run') ?? null) : (c.req.query('run') ?? null);
    throw forbidden(caller, asked, `${roles.join(' or ')}`);
  }
  // Of all runs there is nothing more to look at, and no body is read.
  if (caller.runs === null) return;
  switch (run.in) {
    case 'all':
      throw forbidden(caller, null, 'a token of all runs, since this spans runs');
    case 'path':
      checkRun(caller, c.req.param('run'), 'run');
      if (run.and !== undefined) checkRun(caller, await fieldOf(c, run.and), run.and);
      return;
    case 'query':
      return checkRun(caller, c.req.query('run'), 'run');
    case 'list': {
      const asked = c.req.query('run');
      return asked === undefined ? undefined : checkRun(caller, asked, 'run');
    }
    case 'body':
      return checkRun(caller, await fieldOf(c, run.field), run.field);
    default:
  }
}

function checkRun(caller: Caller, run: unknown, field: string): void {
  if (typeof run !== 'string' || run === '') throw forbidden(caller, null, `one of its runs in ${field}`, field);
  if (!mayUse(caller, run)) throw forbiddenRun(caller, run, field);
}

/** As the route reads it. Its bytes are kept, so that they can be forwarded as they came. */
async function fieldOf(c: Context<SenderEnv>, field: string): Promise<unknown> {
  await c.req.arrayBuffer();
  const body: unknown = await c.req.json().catch(() => null);
  return isObject(body) ? body[field] : undefined;
}

/** A run that is not the caller's; that there is such a run is not said, nor that there is none. */
export function forbiddenRun(caller: Caller, run: string, field: string): RollstreamError {
  return forbidden(caller, run, 'a token of this run', field);
}

function forbidden(caller: Caller, run: string | null, needed: string, field = 'authorization'): RollstreamError {
  const asked = run === null ? '' : ` for run ${JSON.stringify(shown(run))}`;
  const of = caller.runs === null ? 'all runs' : [...caller.runs].slice(0, MOST_NAMED).map(shown).join(', ');
  const message = `the token ${caller.id} (${caller.role} of ${of}) may not do this${asked}: it needs ${needed}`;
  return new RollstreamError('RS_FORBIDDEN', message, {
    facts: { field, role: caller.role, ...(run === null ? {} : { run: shown(run) }) },
  });
}

const MOST_NAMED = 10;
const MOST_CHARACTERS = 200;

function shown(text: string): string {
  return (text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text).toWellFormed();
}
