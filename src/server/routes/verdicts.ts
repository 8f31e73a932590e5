import { Hono } from 'hono';
import type { Ingest } from '../../ingest/http/ingest.ts';
import { ingested } from '../ingest-response.ts';

/** `POST /v1/verdicts`: what verifiers said, by run and rollout; answered as steps are. */
export function verdictRoutes({ ingest }: { readonly ingest: Pick<Ingest, 'verdicts'> }): Hono {
  return new Hono().post('/verdicts', (c) => ingested(c.req.raw, ingest.verdicts));
}
