import { describe, expect, it } from 'vitest';
import { RollstreamError } from '../../../../src/errors.ts';
import { deliveryApp, scriptedDelivery } from '../scripted-delivery.ts';

const LEASE = '3.ab12.17';
const ONE = { run: 'r', consumer: 'trainer-0', batch_index: 0, count: 4 };
const STEP = { run: 'r', consumer: 'rank-1', step: 7, dp_size: 2, rank: 1, groups: 8 };

async function post(path: string, body: unknown, app = deliveryApp(scriptedDelivery().delivery)) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await app.request(`/v1${path}`, { method: 'POST', body: text });
  return { status: response.status, answer: JSON.parse(await response.text()) };
}

/** What delivery was asked. */
async function asked(path: string, body: unknown): Promise<unknown[][]> {
  const { delivery, calls } = scriptedDelivery();
  expect((await post(path, body, deliveryApp(delivery))).status).toBe(200);
  return calls;
}

describe('a lease', () => {
  it('is asked for by replica, index and try', async () => {
    expect(await asked('/leases', ONE)).toEqual([
      [
        'lease',
        {
          run: 'r',
          lineage: null,
          consumer: 'trainer-0',
          key: ['trainer-0', 0, 0],
          unit: 'group',
          dp: 0,
          rank: 0,
          most: 4,
          least: 1,
          tokens: null,
          microTokens: null,
          leaseMs: null,
          waitMs: 0,
        },
      ],
    ]);
    const full = { ...ONE, replica: 'a', try: 2, lineage: 3, least: 4, unit: 'rollout', wait_ms: 9, lease_ms: 100 };
    expect(await asked('/leases', full)).toMatchObject([
      ['lease', { key: ['a', 0, 2], lineage: 3, least: 4, unit: 'rollout', waitMs: 9, leaseMs: 100 }],
    ]);
  });

  it('without an index takes the next one of the consumer', async () => {
    expect(await asked('/leases', { run: 'r', consumer: 'c', count: 1 })).toMatchObject([['lease', { key: null }]]);
  });

  it('of a step is asked for by step and try, by each rank', async () => {
    expect(await asked('/leases', STEP)).toMatchObject([
      ['lease', { key: ['step', 7, 0], dp: 2, rank: 1, most: 8, least: 8, tokens: null, microTokens: null }],
    ]);
    const bySize = { ...STEP, groups: null, tokens: 65_536, micro_tokens: 4_096, try: 1 };
    expect(await asked('/leases', bySize)).toMatchObject([
      ['lease', { key: ['step', 7, 1], tokens: 65_536, microTokens: 4_096 }],
    ]);
  });

  it('takes null for left out', async () => {
    const nulls = { lineage: null, replica: null, least: null, wait_ms: null, lease_ms: null, unit: null, try: null };
    expect(await asked('/leases', { ...ONE, ...nulls })).toEqual(await asked('/leases', ONE));
  });

  it('"not enough" is an answer, which says what to count on from', async () => {
    expect(await post('/leases', { ...ONE, batch_index: 6, try: 2, lineage: 3 })).toEqual({
      status: 200,
      answer: { lease: null, again: true, lineage: 3, batch_index: 6, try: 2 },
    });
    expect((await post('/leases', STEP)).answer).toMatchObject({ again: true, batch_index: 7, try: 0 });
  });

  it('of a run that nobody has heard of is refused, of one that has only started it is not', async () => {
    expect(await post('/leases', { ...ONE, run: 'nobody' })).toMatchObject({
      status: 404,
      answer: { error: { code: 'RS_NOT_FOUND', field: 'run' } },
    });
    expect(await post('/leases', { ...ONE, run: 'started' })).toMatchObject({ status: 200, answer: { again: true } });
  });

  it.each<[string, unknown, string | undefined]>([
    ['no JSON', '{"run": "r",', undefined],
    ['nothing', '', undefined],
    ['an array', [ONE], undefined],
    ['text', '"lease"', undefined],
    ['null', 'null', undefined],
    ['not a number (NaN)', '{"count": NaN}', undefined],
    ['no run', { ...ONE, run: undefined }, 'run'],
    ['an empty run', { ...ONE, run: '' }, 'run'],
    ['a run that is no text', { ...ONE, run: 7 }, 'run'],
    ['a run that cannot be written', { ...ONE, run: '\ud800' }, 'run'],
    ['no consumer', { ...ONE, consumer: undefined }, 'consumer'],
    ['a consumer of 1 MB', { ...ONE, consumer: 'x'.repeat(2 ** 20) }, 'consumer'],
    ['a replica of 201 characters', { ...ONE, replica: 'x'.repeat(201) }, 'replica'],
    ['the name of step leases as a consumer', { ...ONE, consumer: 'step' }, 'consumer'],
    ['the name of step leases as a replica', { ...ONE, replica: 'step' }, 'replica'],
    ['no count', { ...ONE, count: undefined }, 'count'],
    ['a count of 0', { ...ONE, count: 0 }, 'count'],
    ['a negative count', { ...ONE, count: -1 }, 'count'],
    ['a count of 1.5', { ...ONE, count: 1.5 }, 'count'],
    ['a count as text', { ...ONE, count: '8' }, 'count'],
    ['a count of 10⁹', { ...ONE, count: 1e9 }, 'count'],
    ['a least above the count', { ...ONE, least: 5 }, 'least'],
    ['a least of 0', { ...ONE, least: 0 }, 'least'],
    ['a negative index', { ...ONE, batch_index: -1 }, 'batch_index'],
    ['an index beyond 2⁵³', { ...ONE, batch_index: 2 ** 53 }, 'batch_index'],
    ['a replica without an index', { ...ONE, batch_index: undefined, replica: 'a' }, 'batch_index'],
    ['a try without an index', { ...ONE, batch_index: undefined, try: 1 }, 'batch_index'],
    ['a negative try', { ...ONE, try: -1 }, 'try'],
    ['a lineage that is text', { ...ONE, lineage: '3' }, 'lineage'],
    ['a unit that does not exist', { ...ONE, unit: 'token' }, 'unit'],
    ['a wait above a minute', { ...ONE, wait_ms: 60_001 }, 'wait_ms'],
    ['a lease under 100 ms', { ...ONE, lease_ms: 99 }, 'lease_ms'],
    ['a field that is misspelt', { ...ONE, linage: 3 }, 'linage'],
    ['a prototype', `{"__proto__": {"count": 4}, "run": "r", "consumer": "c"}`, '__proto__'],
    ['a field that only steps have', { ...STEP, count: 4 }, 'count'],
    ['a step without its ranks', { run: 'r', consumer: 'c', step: 7, groups: 8 }, 'dp_size'],
    ['ranks without a step', { ...STEP, step: undefined }, 'step'],
    ['a negative step', { ...STEP, step: -1 }, 'step'],
    ['more than 2^25 tokens a rank', { ...STEP, groups: undefined, tokens: 2 ** 26 + 1 }, 'tokens'],
    ['no ranks', { ...STEP, dp_size: 0 }, 'dp_size'],
    ['65,537 ranks', { ...STEP, dp_size: 65_537 }, 'dp_size'],
    ['no rank', { ...STEP, rank: undefined }, 'rank'],
    ['a rank that is none of them', { ...STEP, rank: 2 }, 'rank'],
    ['neither groups nor tokens', { ...STEP, groups: undefined }, 'groups'],
    ['both groups and tokens', { ...STEP, tokens: 4_096 }, 'groups'],
    ['groups of 0', { ...STEP, groups: 0 }, 'groups'],
    ['tokens of 0', { ...STEP, groups: undefined, tokens: 0 }, 'tokens'],
    ['micro-batches of 0 tokens', { ...STEP, micro_tokens: 0 }, 'micro_tokens'],
    ['fewer rollouts than ranks', { ...STEP, unit: 'rollout', groups: 1 }, 'groups'],
  ])('is refused: %s', async (_, body, field) => {
    const { delivery, calls } = scriptedDelivery();
    const { status, answer } = await post('/leases', body, deliveryApp(delivery));
    expect([status, answer.error.code, answer.error.field]).toEqual([400, 'RS_USAGE', field]);
    expect(answer.error.message).toContain(field ?? 'the body must be a JSON object');
    expect(answer.error.message.length).toBeLessThan(600);
    expect(calls).toEqual([]);
  });

  it('a key that comes twice counts as it came last', async () => {
    const body = '{"run": "nobody", "consumer": "c", "count": 1, "count": 2, "run": "r"}';
    expect(await asked('/leases', body)).toMatchObject([['lease', { run: 'r', most: 2 }]]);
  });
});

describe('a lease ends', () => {
  it('trained, with what the trainer measured', async () => {
    expect(await asked(`/leases/${LEASE}/ack`, { step: 120 })).toEqual([
      ['ack', LEASE, { lineage: null, step: 120, version: null, match: null }],
    ]);
    const stats = { kl: -0.01, clipped_share: 0.5 };
    expect(await asked(`/leases/${LEASE}/ack`, { step: 1, lineage: 1, version: 'w', stats })).toEqual([
      [
        'ack',
        LEASE,
        { lineage: 1, step: 1, version: 'w', match: { kl: -0.01, maxLogprobDiff: null, clippedShare: 0.5 } },
      ],
    ]);
    expect(await asked(`/leases/${LEASE}/ack`, { step: 1, stats: { kl: null } })).toMatchObject([
      ['ack', LEASE, { match: null }],
    ]);
    expect((await post(`/leases/${LEASE}/ack`, { step: 1 })).answer).toEqual({ lease: LEASE, state: 'trained' });
  });

  it('released, rejected, or later', async () => {
    expect(await asked(`/leases/${LEASE}/release`, {})).toEqual([
      ['release', LEASE, { lineage: null, isUnseen: false }],
    ]);
    expect(await asked(`/leases/${LEASE}/release`, { lineage: 2, unseen: true })).toEqual([
      ['release', LEASE, { lineage: 2, isUnseen: true }],
    ]);
    expect(await asked(`/leases/${LEASE}/reject`, { lineage: 2, reason: 'too long' })).toEqual([
      ['reject', LEASE, { lineage: 2, reason: 'too long' }],
    ]);
    expect(await asked(`/leases/${LEASE}/extend`, { lease_ms: 60_000 })).toEqual([
      ['extend', LEASE, { lineage: null, leaseMs: 60_000 }],
    ]);
    expect((await post(`/leases/${LEASE}/extend`, {})).answer).toEqual({
      lease: LEASE,
      deadline: '2023-11-14T22:13:20.000Z',
    });
  });

  it.each<[string, string, unknown, string]>([
    ['an id that is no lease', '/leases/mine/ack', { step: 1 }, 'lease'],
    ['a path as id', '/leases/..%2F..%2Fetc%2Fpasswd/ack', { step: 1 }, 'lease'],
    ['a percent sign that says nothing', '/leases/%ff%zz/ack', { step: 1 }, 'lease'],
    ['a NUL', '/leases/3.a%00b.1/ack', { step: 1 }, 'lease'],
    ['an id of 1 MB', `/leases/3.${'a'.repeat(2 ** 20)}.1/ack`, { step: 1 }, 'lease'],
    ['an ack without a step', `/leases/${LEASE}/ack`, {}, 'step'],
    ['an ack of a negative step', `/leases/${LEASE}/ack`, { step: -1 }, 'step'],
    ['an ack of step 0, which the run began with', `/leases/${LEASE}/ack`, { step: 0 }, 'step'],
    ['an ack of step 1.5', `/leases/${LEASE}/ack`, { step: 1.5 }, 'step'],
    ['weights without a name', `/leases/${LEASE}/ack`, { step: 1, version: '' }, 'version'],
    ['stats that are a list', `/leases/${LEASE}/ack`, { step: 1, stats: [1] }, 'stats'],
    ['stats that are misspelt', `/leases/${LEASE}/ack`, { step: 1, stats: { KL: 1 } }, 'stats.KL'],
    ['a figure as text', `/leases/${LEASE}/ack`, { step: 1, stats: { kl: '1' } }, 'stats.kl'],
    ['a figure beyond doubles', `/leases/${LEASE}/ack`, '{"step": 1, "stats": {"kl": 1e999}}', 'stats.kl'],
    ['a share above 1', `/leases/${LEASE}/ack`, { step: 1, stats: { clipped_share: 2 } }, 'stats.clipped_share'],
    [
      'a distance below 0',
      `/leases/${LEASE}/ack`,
      { step: 1, stats: { max_logprob_diff: -1 } },
      'stats.max_logprob_diff',
    ],
    ['a release with a step', `/leases/${LEASE}/release`, { step: 1 }, 'step'],
    ['a release that is unseen in words', `/leases/${LEASE}/release`, { unseen: 'yes' }, 'unseen'],
    ['a rejection without a reason', `/leases/${LEASE}/reject`, {}, 'reason'],
    ['a reason of 1,001 characters', `/leases/${LEASE}/reject`, { reason: 'x'.repeat(1_001) }, 'reason'],
    ['an extension of 8 days', `/leases/${LEASE}/extend`, { lease_ms: 691_200_000 }, 'lease_ms'],
  ])('is refused: %s', async (_, path, body, field) => {
    const { delivery, calls } = scriptedDelivery();
    const { status, answer } = await post(path, body, deliveryApp(delivery));
    expect([status, answer.error.code, answer.error.field]).toEqual([400, 'RS_USAGE', field]);
    expect(calls).toEqual([]);
  });

  it.each(['RS_LEASE_LOST', 'RS_LINEAGE_DISCARDED', 'RS_DELIVERY_REFUSED'] as const)(
    'what delivery refuses with %s is answered with 409 and why',
    async (code) => {
      const refusal = new RollstreamError(code, 'why it is', { facts: { reason: 'its_name' } });
      const { delivery } = scriptedDelivery({ ack: () => Promise.reject(refusal) });
      expect(await post(`/leases/${LEASE}/ack`, { step: 1 }, deliveryApp(delivery))).toEqual({
        status: 409,
        answer: { error: { code, message: 'why it is', reason: 'its_name' } },
      });
    },
  );
});
