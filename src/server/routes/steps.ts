import { Hono } from 'hono';
import type { Ingest } from '../../ingest/http/ingest.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';
import { ingested } from '../ingest-response.ts';
import { senderRuns } from '../sender-runs.ts';

/**
 * `POST /v1/steps`: step events as JSON Lines, JSON or an Avro container, gzip or not. Answered once what was accepted is durable;
 * what was refused is named, and in dead-letter.
 */
export function stepRoutes({ ingest }: { readonly ingest: Pick<Ingest, 'steps'> }): Hono<SenderEnv> {
  return new Hono<SenderEnv>().post('/steps', (c) => {
    const sender = senderRuns(callerOf(c));
    return ingested(c.req.raw, (body) => ingest.steps(body, sender));
  });
}
