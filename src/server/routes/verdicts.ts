import { Hono } from 'hono';
import type { Ingest } from '../../ingest/http/ingest.ts';
import { ingestBody, ingestResponse } from '../ingest-response.ts';

/** `POST /v1/verdicts`: what verifiers said, by run and rollout; answered as steps are. */
export function verdictRoutes({ ingest }: { readonly ingest: Pick<Ingest, 'verdicts'> }): Hono {
  return new Hono().post('/verdicts', async (c) => ingestResponse(await ingest.verdicts(ingestBody(c.req.raw))));
}
