import { describe, expect, it } from 'vitest';
import { deliveryApp, scriptedDelivery } from '../scripted-delivery.ts';

const LEASE = '3.ab12.17';
const TOKENS = { [LEASE]: { step: 4, offsets: [7, 9] } };
const HELD = new Map([[LEASE, { step: 4, offsets: [7, 9] }]]);
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

async function post(path: string, body: unknown, app = deliveryApp(scriptedDelivery().delivery)) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await app.request(`/v1/runs/${path}`, { method: 'POST', body: text });
  return { status: response.status, answer: JSON.parse(await response.text()) };
}

describe('a checkpoint', () => {
  it('is sealed in the lineage that is named, else in the one in force', async () => {
    const { delivery, calls } = scriptedDelivery();
    const app = deliveryApp(delivery);
    expect(await post('r/checkpoints', { step: 12 }, app)).toEqual({
      status: 200,
      answer: { run: 'r', lineage: 3, step: 12, sealed: true },
    });
    await post('r/checkpoints', { step: 12, lineage: 2, tokens: TOKENS }, app);
    expect(calls).toEqual([
      ['seal', 'r', { lineage: 3, step: 12, tokens: new Map() }],
      ['seal', 'r', { lineage: 2, step: 12, tokens: HELD }],
    ]);
  });
});

describe('a rewind', () => {
  it('goes from the lineage in force to a checkpoint of it, unless told otherwise', async () => {
    const { delivery, calls } = scriptedDelivery();
    const app = deliveryApp(delivery);
    expect((await post('r/rewind', { step: 10 }, app)).answer).toEqual({ run: 'r', lineage: 4 });
    await post('r/rewind', { step: 10, lineage: 1, expect: 2, request: 'q', tokens: {} }, app);
    expect(calls).toEqual([
      ['rewind', 'r', { of: { lineage: 3, step: 10 }, expect: 3, request: expect.stringMatching(UUID), tokens: null }],
      ['rewind', 'r', { of: { lineage: 1, step: 10 }, expect: 2, request: 'q', tokens: new Map() }],
    ]);
  });
});

describe('a fork', () => {
  it('begins a run at a checkpoint of another', async () => {
    const { delivery, calls } = scriptedDelivery();
    const app = deliveryApp(delivery);
    expect((await post('r/fork', { run: 'r2', step: 10, request: 'q' }, app)).answer).toEqual({
      run: 'r2',
      lineage: 0,
    });
    expect(calls).toEqual([['fork', 'r', { of: { lineage: 3, step: 10 }, into: 'r2', request: 'q', tokens: null }]]);
  });
});

describe('the delivery of a run', () => {
  it('is where it stands, and what it can go back to', async () => {
    const response = await deliveryApp(scriptedDelivery().delivery).request('/v1/runs/r/delivery');
    expect(await response.json()).toEqual({
      run: 'r',
      lineage: 3,
      unit: 'group',
      checkpoints: [
        { lineage: 0, step: 10 },
        { lineage: 3, step: 12 },
      ],
      ready_states: {
        queued: 7,
        leased: 2,
        trained: 5,
        expired: 1,
        undeliverable: 0,
        trainer_rejected: 3,
        replaced: 0,
      },
      waiting: 1,
      last: { 'trainer-0': [4, 1] },
    });
  });

  it('of a run that has only started is empty, of one that nobody has heard of unknown', async () => {
    const app = deliveryApp(scriptedDelivery().delivery);
    expect(await (await app.request('/v1/runs/started/delivery')).json()).toMatchObject({ lineage: 0, unit: null });
    const unknown = await app.request('/v1/runs/nobody/delivery');
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: 'RS_NOT_FOUND' } }]);
  });

  it('is found under names with slashes, percent signs and letters of any script', async () => {
    const app = deliveryApp(scriptedDelivery().delivery);
    for (const run of ['a/b', '../a', 'a/100%', 'läufe/数学', 'a b/?x#y']) {
      const response = await app.request(`/v1/runs/${encodeURIComponent(run)}/delivery`);
      expect(await response.json()).toMatchObject({ run });
    }
  });
});

describe('a name in the path', () => {
  it.each(['x'.repeat(201), '%ED%A0%80'.repeat(70)])('that no run can have is refused', async (name) => {
    expect(await post(`${name}/checkpoints`, { step: 1 })).toMatchObject({
      status: 400,
      answer: { error: { code: 'RS_USAGE', field: 'run' } },
    });
  });
});

describe('refused', () => {
  it.each<[string, string, unknown, string | undefined]>([
    ['a checkpoint that is no JSON', 'r/checkpoints', '{', undefined],
    ['a checkpoint without a step', 'r/checkpoints', {}, 'step'],
    ['a checkpoint of a negative step', 'r/checkpoints', { step: -1 }, 'step'],
    ['a checkpoint of step 0, which the run began with', 'r/checkpoints', { step: 0 }, 'step'],
    [
      'tokens of a later step than the checkpoint',
      'r/rewind',
      { step: 6, tokens: { [LEASE]: { step: 9, offsets: [7] } } },
      `tokens.${LEASE}.step`,
    ],
    [
      'tokens of step 0',
      'r/rewind',
      { step: 1, tokens: { [LEASE]: { step: 0, offsets: [7] } } },
      `tokens.${LEASE}.step`,
    ],
    ['a checkpoint of a step as text', 'r/checkpoints', { step: '12' }, 'step'],
    ['a lineage of -1', 'r/checkpoints', { step: 1, lineage: -1 }, 'lineage'],
    ['a field of another request', 'r/checkpoints', { step: 1, expect: 0 }, 'expect'],
    ['a rewind without a step', 'r/rewind', { request: 'q' }, 'step'],
    ['a rewind from a lineage as text', 'r/rewind', { step: 1, expect: '' }, 'expect'],
    ['a request of 1 MB', 'r/rewind', { step: 1, request: 'q'.repeat(2 ** 20) }, 'request'],
    ['a fork without a name', 'r/fork', { step: 1 }, 'run'],
    ['a fork into itself', 'r/fork', { run: 'r', step: 1 }, 'run'],
    ['tokens that are a list', 'r/rewind', { step: 1, tokens: [] }, 'tokens'],
    ['tokens that are text', 'r/rewind', { step: 1, tokens: 'all' }, 'tokens'],
    ['tokens of what is no lease', 'r/rewind', { step: 1, tokens: { mine: { step: 1, offsets: [1] } } }, 'tokens'],
    [
      'tokens with a prototype',
      'r/rewind',
      '{"step": 1, "tokens": {"__proto__": {"step": 1, "offsets": [1]}}}',
      'tokens',
    ],
    ['tokens that are numbers', 'r/rewind', { step: 1, tokens: { [LEASE]: 4 } }, `tokens.${LEASE}`],
    ['tokens without a step', 'r/rewind', { step: 1, tokens: { [LEASE]: { offsets: [1] } } }, `tokens.${LEASE}.step`],
    ['tokens without offsets', 'r/rewind', { step: 1, tokens: { [LEASE]: { step: 1 } } }, `tokens.${LEASE}.offsets`],
    ['no offsets', 'r/rewind', { step: 1, tokens: { [LEASE]: { step: 1, offsets: [] } } }, `tokens.${LEASE}.offsets`],
    [
      'an offset of -1',
      'r/rewind',
      { step: 1, tokens: { [LEASE]: { step: 1, offsets: [-1] } } },
      `tokens.${LEASE}.offsets`,
    ],
    [
      'an offset as text',
      'r/fork',
      { run: 'n', step: 1, tokens: { [LEASE]: { step: 1, offsets: ['7'] } } },
      `tokens.${LEASE}.offsets`,
    ],
    [
      'more than step and offsets',
      'r/checkpoints',
      { step: 1, tokens: { [LEASE]: { step: 1, offsets: [1], at: 2 } } },
      `tokens.${LEASE}.at`,
    ],
  ])('%s', async (_, path, body, field) => {
    const { delivery, calls } = scriptedDelivery();
    const { status, answer } = await post(path, body, deliveryApp(delivery));
    expect([status, answer.error.code, answer.error.field]).toEqual([400, 'RS_USAGE', field]);
    expect(answer.error.message.length).toBeLessThan(600);
    expect(calls).toEqual([]);
  });

  it('what is asked of a run that nobody has heard of', async () => {
    for (const lineage of [undefined, 0])
      for (const [what, more] of Object.entries({ checkpoints: {}, rewind: { expect: 0 }, fork: { run: 'new' } }))
        expect(await post(`nobody/${what}`, { step: 1, lineage, ...more })).toMatchObject({
          status: 404,
          answer: { error: { code: 'RS_NOT_FOUND', field: 'run' } },
        });
  });
});
