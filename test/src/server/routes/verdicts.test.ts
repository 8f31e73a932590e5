import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  server = await startIngestServer();
});
afterAll(() => server.stop());

const verdicts = (body: unknown) => server.post('/v1/verdicts', JSON.stringify(body), JSON_TYPE);
const stored = (rollout: string) =>
  server.query<Record<string, unknown>>(
    `SELECT attempt, unit, scorer, status, rewards, bound_to FROM rollstream.verdicts FINAL WHERE rollout_id = '${rollout}'`,
  );
const about = (rollout_id: string) => ({ run_id: 'r', rollout_id, scorer: 's' });

describe('a verdict that names no attempt', () => {
  it('goes to the latest that was accepted before it, though the table has not seen it yet', async () => {
    const first = rolloutEvents('retried', { attempt: 0 }).slice(0, 2);
    await server.post('/v1/steps', linesOf(first), LINES);
    await server.drained();
    const second = rolloutEvents('retried', { attempt: 1 });
    await server.post('/v1/steps', linesOf(second), LINES);
    expect(await verdicts({ ...about('retried'), reward: 1 })).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await stored('retried')).toMatchObject([{ attempt: 1, rewards: { reward: 1 } }]);
  });

  it('goes to the group that its rollout is in', async () => {
    await server.post('/v1/steps', linesOf(rolloutEvents('grouped', { group_id: 'a/b' })), LINES);
    expect(await verdicts([{ ...about('grouped'), reward: 0.5 }])).toMatchObject({ status: 200 });
    expect(await stored('grouped')).toMatchObject([{ unit: 'r/0/g/a%2Fb', attempt: 0 }]);
    expect(await server.ready('grouped')).toMatchObject({ reward: 0.5, group_id: 'a/b' });
  });

  it('of ten that are posted at once, each goes where it belongs', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => `many-${n}`);
    await server.post('/v1/steps', linesOf(ids.flatMap((id) => rolloutEvents(id))), LINES);
    const answers = await Promise.all(ids.map((id, n) => verdicts({ ...about(id), reward: n })));
    expect(answers.map(({ body }) => body.accepted)).toEqual(ids.map(() => 1));
    for (const [n, id] of ids.entries()) expect(await stored(id)).toMatchObject([{ rewards: { reward: n } }]);
  });

  it('of a rollout that nobody has heard of is refused by name, the others beside it are not', async () => {
    await server.post('/v1/steps', linesOf(rolloutEvents('heard')), LINES);
    const body = linesOf([
      { ...about('unheard'), reward: 1 },
      { ...about('heard'), reward: 1 },
    ]);
    const answer = await server.post('/v1/verdicts', body, LINES);
    expect(answer).toMatchObject({
      status: 200,
      body: { accepted: 1, refused: [{ index: 0, field: 'rollout_id', got: '"unheard"' }] },
    });
    expect(answer.body.refused?.[0]?.message).toContain('or group_id and attempt beside it');
  });

  it('of a rollout that is in two groups is asked which', async () => {
    for (const group_id of ['g1', 'g2'])
      await server.post('/v1/steps', linesOf(rolloutEvents('both', { group_id })), LINES);
    const { status, body } = await verdicts({ ...about('both'), reward: 1 });
    expect(status).toBe(422);
    expect(body.refused).toMatchObject([
      { field: 'group_id', expected: expect.stringMatching(/"g1", "g2"|"g2", "g1"/) },
    ]);
    expect(await verdicts({ ...about('both'), group_id: 'g2', reward: 1 })).toMatchObject({ status: 200 });
    expect(await stored('both')).toMatchObject([{ unit: 'r/0/g/g2' }]);
  });
});

it('a verdict that names group and attempt is taken before its rollout starts', async () => {
  const early = { ...about('early'), attempt: 0, group_id: null, reward: 0.75 };
  expect(await verdicts({ verdicts: [early] })).toMatchObject({ status: 200, body: { accepted: 1 } });
  await server.post('/v1/steps', linesOf(rolloutEvents('early')), LINES);
  expect(await server.ready('early')).toMatchObject({ reward: 0.75 });
});

it('the same verdict again changes nothing', async () => {
  await server.post('/v1/steps', linesOf(rolloutEvents('again')), LINES);
  const verdict = { ...about('again'), rewards: { a: 1, b: null }, scorer_version: '2', bound_to: 0, report: 'fine' };
  for (const _ of [1, 2]) expect(await verdicts(verdict)).toMatchObject({ status: 200, body: { accepted: 1 } });
  expect(await stored('again')).toMatchObject([{ status: 'scored', rewards: { a: 1, b: null }, bound_to: 0 }]);
});

it('that a verifier gave no answer is kept as that', async () => {
  await server.post('/v1/steps', linesOf(rolloutEvents('late')), LINES);
  expect(await verdicts({ ...about('late'), status: 'timeout' })).toMatchObject({ status: 200 });
  expect(await stored('late')).toMatchObject([{ status: 'timeout', rewards: {} }]);
});

describe('a verdict is refused', () => {
  it.each([
    ['without a reward', {}, 'reward', 'a number or null, since it is scored'],
    ['with a reward that is text', { reward: '1' }, 'reward', 'a number or null'],
    ['with a reward and rewards', { reward: 1, rewards: { a: 1 } }, 'rewards', 'nothing, since reward is given'],
    ['with a named reward that is text', { rewards: { a: '1' } }, 'rewards.a', 'a number'],
    [
      'with a reward of what did not answer',
      { status: 'timeout', reward: 0 },
      'status',
      'scored, since there is a reward',
    ],
    ['with a status of its own', { status: 'fine' }, 'status', expect.stringContaining('not_run')],
    ['without a scorer', { scorer: undefined, reward: 1 }, 'scorer', 'the name of a verifier'],
    ['with an attempt below 0', { attempt: -1, reward: 1 }, 'attempt', 'a whole number from 0 on'],
    [
      'with a misspelt field',
      { reward: 1, scorer_verison: '1' },
      'scorer_verison',
      expect.stringContaining('scorer_version'),
    ],
    ['with a turn that is none', { reward: 1, bound_to: 1.5 }, 'bound_to', expect.stringContaining('an integer')],
  ])('%s', async (_, more, field, expected) => {
    const { status, body } = await verdicts({ ...about('nobody'), group_id: null, attempt: 0, ...more });
    expect(status).toBe(422);
    expect(body).toMatchObject({ accepted: 0, refused: [{ index: 0, field, expected }] });
  });

  it('in Avro', async () => {
    const answer = await server.post('/v1/verdicts', 'Obj', { 'content-type': 'application/avro' });
    expect(answer).toMatchObject({ status: 400, body: { error: { field: 'content-type' } } });
  });
});
