import { Hono } from 'hono';
import type { Ingest } from '../../ingest/http/ingest.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';
import { ingested } from '../ingest-response.ts';
import { senderRuns } from '../sender-runs.ts';

/** `POST /v1/verdicts`: what verifiers said, by run and rollout; answered as steps are. */
export function verdictRoutes({ ingest }: { readonly ingest: Pick<Ingest, 'verdicts'> }): Hono<SenderEnv> {
  return new Hono<SenderEnv>().post('/verdicts', (c) => {
    const sender = senderRuns(callerOf(c));
    return ingested(c.req.raw, (body) => ingest.verdicts(body, sender));
  });
}
