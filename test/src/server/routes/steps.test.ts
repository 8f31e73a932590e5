import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type IngestServer,
  JSON_TYPE,
  LINES,
  linesOf,
  rolloutEvents,
  startIngestServer,
} from '../../ingest/http/ingest-server.ts';

const TOKEN = 'a-token-of-some-length';

let server: IngestServer;
beforeAll(async () => {
  server = await startIngestServer({ ROLLSTREAM_HTTP_TOKEN: TOKEN });
});
afterAll(() => server.stop());

const steps = (body: Body, headers: Record<string, string> = LINES) => server.post('/v1/steps', body, headers);
const idsOf = async (rollout: string): Promise<string[]> =>
  (
    await server.query<{ event_id: string }>(
      `SELECT event_id FROM rollstream.steps FINAL WHERE rollout_id = '${rollout}' ORDER BY seq`,
    )
  ).map(({ event_id }) => event_id);

describe('a rollout posted step by step', () => {
  it('is ready with the very ids, masks and logprobs once its verdict came', async () => {
    for (const event of rolloutEvents('stepwise'))
      expect(await steps(linesOf([event]))).toMatchObject({ status: 200, body: { accepted: 1, refused: [] } });
    const verdict = { run_id: 'r', rollout_id: 'stepwise', scorer: 's', reward: 0.25 };
    expect(await server.post('/v1/verdicts', JSON.stringify(verdict), JSON_TYPE)).toMatchObject({
      status: 200,
      body: { accepted: 1 },
    });
    expect(await server.ready('stepwise')).toMatchObject({
      reward: 0.25,
      finish_reason: 'stop',
      reasons: [{ raw: 'task_complete' }],
      segments: [
        {
          token_ids: [11, 12, 4_294_967_295, 7, 0, 9],
          sampled_mask: [0, 0, 0, 1, 1, 1],
          logprobs: [0, 0, 0, -0.5, Math.fround(-0.1), -3.25],
        },
      ],
    });
  });
});

describe('what is refused', () => {
  it('is named and kept; what is good beside it is durable', async () => {
    const [start, call, end] = rolloutEvents('mixed');
    const bad = { ...call, seq: 2, model_call: { call_id: 'd', completion_ids: [-1], prompt_delta_ids: [] } };
    const answer = await steps(linesOf([start, bad, '<html>', call, end]));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      accepted: 3,
      refused_count: 2,
      refused: [
        { index: 1, field: 'model_call.completion_ids[0]', expected: 'a token id from 0 to 4294967295', got: '-1' },
        { index: 2, field: '', expected: 'JSON', message: expect.stringContaining('malformed JSON') },
      ],
    });
    expect(await idsOf('mixed')).toHaveLength(3);
    const letters = await server.query(
      'SELECT field, stage, topic, value FROM rollstream.dead_letters FINAL ORDER BY field',
    );
    expect(letters).toEqual([
      { field: '', stage: 'ingest', topic: 'ingest', value: '<html>' },
      { field: 'model_call.completion_ids[0]', stage: 'ingest', topic: 'ingest', value: JSON.stringify(bad) },
    ]);
  });

  it('alone is an error that names the first', async () => {
    const { status, body } = await steps(linesOf([{ rollout_id: 'x', kind: 'start', seq: 0, start: {} }]));
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: { code: 'RS_INPUT_REFUSED', record: 0, field: 'run_id' },
      ...{ accepted: 0, refused_count: 1, refused: [{ index: 0, field: 'run_id', message: 'run_id: is missing' }] },
    });
  });
});

it('the same events again change nothing', async () => {
  const body = linesOf(rolloutEvents('twice'));
  await steps(body);
  const before = await idsOf('twice');
  expect(await steps(body)).toMatchObject({ status: 200, body: { accepted: 3 } });
  expect(await idsOf('twice')).toEqual(before);
  expect(await steps(gzipSync(body), { ...LINES, 'content-encoding': 'gzip' })).toMatchObject({
    body: { accepted: 3 },
  });
  expect(await idsOf('twice')).toEqual(before);
  const found = await server.query<{ n: string }>(
    "SELECT count() AS n FROM rollstream.attempts FINAL WHERE rollout_id = 'twice'",
  );
  expect(found.map(({ n }) => Number(n))).toEqual([1]);
});

it('nobody without the token gets anything in', async () => {
  const body = linesOf(rolloutEvents('unasked'));
  for (const path of ['/v1/steps', '/v1/verdicts', '/v1/producers/ended']) {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body, headers: LINES });
    expect(response.status, path).toBe(401);
    await response.body?.cancel();
  }
  expect(await idsOf('unasked')).toEqual([]);
});
