import { Hono } from 'hono';
import type { Ingest } from '../../ingest/http/ingest.ts';
import { ingested } from '../ingest-response.ts';

/**
 * `POST /v1/steps`: step events as JSON Lines, JSON or an Avro container, gzip or not. Answered once what was accepted is durable;
 * what was refused is named, and in dead-letter.
 */
export function stepRoutes({ ingest }: { readonly ingest: Pick<Ingest, 'steps'> }): Hono {
  return new Hono().post('/steps', (c) => ingested(c.req.raw, ingest.steps));
}
