import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { ofKnownRun } from '../../access/known-run.ts';
import { mayUse } from '../auth/caller.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';

/** `GET /v1/accounting?run=` and `GET /v1/runs`. */
export function accountingRoutes({ access }: { readonly access: Access }): Hono<SenderEnv> {
  return new Hono<SenderEnv>()
    .get('/accounting', async (c) => {
      const runId = c.req.query('run') ?? null;
      return c.json(ofKnownRun(await access.accounting(runId), runId));
    })
    .get('/runs', async (c) => {
      const caller = callerOf(c);
      return c.json({ runs: (await access.runs()).filter(({ run_id }) => mayUse(caller, run_id)) });
    });
}
