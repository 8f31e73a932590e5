import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { ofKnownRun } from '../../access/known-run.ts';

/** `GET /v1/accounting?run=` and `GET /v1/runs`. */
export function accountingRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono()
    .get('/accounting', async (c) => {
      const runId = c.req.query('run') ?? null;
      return c.json(ofKnownRun(await access.accounting(runId), runId));
    })
    .get('/runs', async (c) => c.json({ runs: await access.runs() }));
}
