import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type IngestServer,
  JSON_TYPE,
  LINES,
  linesOf,
  rolloutEvents,
  startIngestServer,
} from '../../ingest/http/ingest-server.ts';

let server: IngestServer;
beforeAll(async () => {
  server = await startIngestServer({ ROLLSTREAM_PARTITIONS: '3' });
});
afterAll(() => server.stop());

const ended = (body: unknown) => server.post('/v1/producers/ended', JSON.stringify(body), JSON_TYPE);

it('what an ended producer left open closes in each partition, and what another has open does not', async () => {
  const open = (id: string, producer_id: string) => rolloutEvents(id, { producer_id }).slice(0, 2);
  const ids = Array.from({ length: 8 }, (_, n) => `mine-${n}`);
  await server.post(
    '/v1/steps',
    linesOf([...ids.flatMap((id) => open(id, 'worker-1')), ...open('theirs', 'worker-2')]),
    LINES,
  );
  expect(await ended({ producer_id: 'worker-1', event_id: 'e' })).toMatchObject({
    status: 200,
    body: { producer_id: 'worker-1' },
  });
  // Whoever did not hear the answer asks again.
  expect(await ended({ producer_id: 'worker-1', event_id: 'e' })).toMatchObject({ status: 200 });
  const closed = await server.query<{ rollout_id: string; reason_code: string }>(
    'SELECT rollout_id, reason_code FROM rollstream.decisions FINAL ORDER BY rollout_id',
  );
  expect(closed).toEqual(ids.map((rollout_id) => ({ rollout_id, reason_code: 'worker_lost' })));
});

it.each([
  [{}, 'producer_id'],
  [{ producer_id: '' }, 'producer_id'],
  [{ producer_id: 'p', event_id: 1 }, 'event_id'],
  [{ producer_id: 'p', event: 'e' }, 'event'],
])('%j is refused by the name of the field', async (body, field) => {
  expect(await ended(body)).toMatchObject({ status: 400, body: { error: { code: 'RS_USAGE', field } } });
});
