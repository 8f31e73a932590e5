import { Hono } from 'hono';
import type { Ingest } from '../../ingest/http/ingest.ts';
import { callerOf, type SenderEnv } from '../auth/require-caller.ts';
import { jsonBody, nameOf, onlyFields, optional } from '../request-value.ts';

/** `POST /v1/producers/ended {producer_id, event_id?}`: nothing more comes from it; what it left open closes, as at the end of an import. */
export function producerRoutes({ ingest }: { readonly ingest: Pick<Ingest, 'producerEnded'> }): Hono<SenderEnv> {
  return new Hono<SenderEnv>().post('/producers/ended', async (c) => {
    const body = await jsonBody(c);
    onlyFields(body, ['producer_id', 'event_id']);
    const producerId = nameOf(body, 'producer_id');
    await ingest.producerEnded(producerId, optional(body, 'event_id', nameOf), callerOf(c).runs);
    return c.json({ producer_id: producerId });
  });
}
