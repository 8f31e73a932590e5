import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';

/** `GET /v1/accounting?run=` and `GET /v1/runs`. */
export function accountingRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono()
    .get('/accounting', async (c) => c.json(await access.accounting(c.req.query('run') ?? null)))
    .get('/runs', async (c) => c.json({ runs: await access.runs() }));
}
