import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';

/** `GET /v1/rollouts/:id?run=`: everything decided about a rollout, with what became of it in words. */
export function rolloutRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono().get('/rollouts/:id', async (c) =>
    c.json(await access.explain(c.req.param('id'), c.req.query('run') ?? null)),
  );
}
