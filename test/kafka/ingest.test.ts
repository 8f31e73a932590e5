import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import {
  type IngestServer,
  JSON_TYPE,
  LINES,
  linesOf,
  rolloutEvents,
  startIngestServer,
} from '../src/ingest/http/ingest-server.ts';

let folder = '';
let front: FrontProcess;
/** Two workers of one group, which share the partitions. */
let servers: IngestServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-ingest-kafka-'));
  front = await startFront({ writable: true });
  const config = join(folder, 'worker.yaml');
  const { kafka, registry } = inject('services');
  const keys = {
    ...{ 'kafka.brokers': [kafka], 'registry.url': registry, 'clickhouse.url': front.url },
    ...{ topic_prefix: `ingest-${randomUUID()}.`, partitions: 4 },
  };
  await writeFile(config, JSON.stringify(keys));
  // The first makes the topics.
  servers = [await startIngestServer({ ROLLSTREAM_CONFIG: config })];
  servers.push(await startIngestServer({ ROLLSTREAM_CONFIG: config }));
}, 300_000);
afterAll(async () => {
  for (const server of servers) await server.stop();
  await front.remove();
  await rm(folder, { recursive: true, force: true });
});

it('what one worker was sent, another finds for its verdicts, whichever of them has the partition', async () => {
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('two servers are needed');
  const ids = Array.from({ length: 12 }, (_, n) => `rollout-${n}`);
  const sent = await first.post('/v1/steps', linesOf(ids.flatMap((id) => rolloutEvents(id))), LINES);
  expect(sent).toMatchObject({ status: 200, body: { accepted: 36, refused: [] } });
  const verdicts = ids.map((rollout_id, n) => ({ run_id: 'r', rollout_id, scorer: 's', reward: n / 16 }));
  const judged = await second.post('/v1/verdicts', JSON.stringify(verdicts), JSON_TYPE);
  expect(judged).toMatchObject({ status: 200, body: { accepted: 12, refused: [] } });
  for (const [n, id] of ids.entries()) {
    expect(await first.ready(id)).toMatchObject({
      reward: n / 16,
      segments: [{ token_ids: [11, 12, 4_294_967_295, 7, 0, 9], sampled_mask: [0, 0, 0, 1, 1, 1] }],
    });
  }
}, 240_000);

it('the end of a producer reaches each partition', async () => {
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('two servers are needed');
  const ids = Array.from({ length: 12 }, (_, n) => `open-${n}`);
  const open = ids.flatMap((id) => rolloutEvents(id, { producer_id: 'gone' }).slice(0, 2));
  await first.post('/v1/steps', linesOf(open), LINES);
  await second.post('/v1/producers/ended', JSON.stringify({ producer_id: 'gone' }), JSON_TYPE);
  const closed = await first.query(
    "SELECT count() AS n, groupUniqArray(reason_code) AS codes FROM rollstream.decisions FINAL WHERE rollout_id LIKE 'open-%'",
  );
  expect(closed).toEqual([{ n: 12, codes: ['worker_lost'] }]);
}, 240_000);
