import { expect, it } from 'vitest';
import type { DeliveryJson } from '../../../src/access/explanation.ts';
import { deliveryWords } from '../../../src/explain/delivery-words.ts';

const DELIVERY: DeliveryJson = {
  ...{ run_id: 'r', state: 'trained', recorded_state: 'trained', consumer: 'trainer-0', lineage: 0, step: 12 },
  ...{ reason: '', weights_version: '', lag: null, deliveries: 1, deadline: '2026-01-02 03:04:05.000' },
  ...{ taken_at: '2026-01-02 03:00:00.000', ran_out: false },
};
const words = (over: Partial<DeliveryJson>) => deliveryWords({ ...DELIVERY, ...over });

it('of what nothing was said: it is queued', () => {
  expect(deliveryWords(null)).toBe('is queued: no trainer has taken it yet');
  expect(words({ state: 'queued', recorded_state: 'queued', taken_at: null })).toBe(deliveryWords(null));
});

it('leased: by whom, until when, how often before', () => {
  expect(words({ state: 'leased', recorded_state: 'leased' })).toBe(
    'is leased by trainer-0 until 2026-01-02 03:04:05.000 UTC',
  );
  expect(words({ state: 'leased', recorded_state: 'leased', deliveries: 3 })).toMatch(/UTC \(taken 3 times\)$/);
});

it('trained: in which step of which history, what that made, and how old its weights were by then', () => {
  expect(words({ weights_version: 'v12', lag: 2, lineage: 1 })).toBe(
    'was trained by trainer-0 in step 12 of lineage 1, which made v12; its weights were 2 behind the newest by then',
  );
  expect(words({ lag: 0 })).toBe('was trained by trainer-0 in step 12; its weights were the newest');
  expect(words({ consumer: '', lag: 1 })).toBe('was trained in step 12; its weights were 1 behind the newest by then');
  expect(words({})).toMatch(/; how old its weights were by then is unknown$/);
});

it('queued again: why', () => {
  const queued = { state: 'queued' } as const;
  expect(words({ ...queued })).toBe(
    'is queued again: step 12 trained it, and the trainer went back to an earlier checkpoint',
  );
  const leased = { ...queued, recorded_state: 'leased' } as const;
  expect(words({ ...leased, ran_out: true, deliveries: 2 })).toBe(
    'is queued again: the lease of trainer-0 ran out at 2026-01-02 03:04:05.000 UTC (taken 2 times)',
  );
  expect(words({ ...leased, lineage: 1 })).toBe(
    'is queued again: it was leased by trainer-0 in lineage 1, which was left for an earlier checkpoint',
  );
  expect(words({ ...queued, recorded_state: 'queued' })).toBe('is queued again: it was given back by trainer-0');
});

it('what no trainer will get: why', () => {
  expect(words({ state: 'expired', reason: '9 versions behind' })).toBe(
    'expired before a trainer took it: 9 versions behind',
  );
  expect(words({ state: 'undeliverable', deliveries: 5 })).toBe('cannot be delivered (taken 5 times)');
  expect(words({ state: 'trainer_rejected', reason: 'NaN loss' })).toBe(
    'was rejected by the trainer (trainer-0): NaN loss',
  );
  expect(words({ state: 'replaced', reason: 'replaced by replay p' })).toBe('is not trained: replaced by replay p');
  expect(words({ state: 'replaced', reason: 'already_trained' })).toBe('is not trained: another version of it was');
  expect(words({ state: 'trainer_rejected', consumer: '', reason: 'its weights are no more' })).toBe(
    'was rejected: its weights are no more',
  );
});
