import { describe, expect, it } from 'vitest';
import { createRunLimits } from '../../../../src/ingest/http/run-limits.ts';
import type { RunQuota } from '../../../../src/runs/quota.ts';

const FREE: RunQuota = { eventsPerSecond: null, inFlightBytes: null };
const MB = 2 ** 20;

function opened(quotas: Readonly<Record<string, Partial<RunQuota>>>) {
  const clock = { ms: 0 };
  const rules = { of: (run: string) => ({ ...FREE, ...quotas[run] }), refuseClosed: () => undefined };
  return { clock, limits: createRunLimits(rules, () => clock.ms) };
}

const quota = (facts: Record<string, unknown>) =>
  expect.objectContaining({ code: 'RS_RUN_QUOTA', status: 429, facts: expect.objectContaining(facts) });

describe('events a second', () => {
  it('a run that has used them is refused, and others go on', () => {
    const { limits } = opened({ noisy: { eventsPerSecond: 2 } });
    const first = limits.begin();
    for (let n = 0; n < 10; n++) first.take('noisy', 1);
    const next = limits.begin();
    next.take('quiet', 1);
    // 8 owed and one to begin with, two a second.
    expect(() => next.take('noisy', 1)).toThrow(
      quota({ run: 'noisy', reason: 'events_per_second', retry_after: 5, field: 'run_id' }),
    );
    next.take('quiet', 1);
  });

  it('it is taken from again once the time is over that it was told to wait', () => {
    const { clock, limits } = opened({ noisy: { eventsPerSecond: 2 } });
    const first = limits.begin();
    for (let n = 0; n < 10; n++) first.take('noisy', 1);
    clock.ms = 4_499;
    expect(() => limits.begin().take('noisy', 1)).toThrow(quota({ retry_after: 1 }));
    clock.ms = 4_500;
    limits.begin().take('noisy', 1);
  });
});

it('of many bodies at once one goes on to its end; the others come again, and each has its turn', () => {
  const { clock, limits } = opened({ noisy: { eventsPerSecond: 10 } });
  const bodies = Array.from({ length: 5 }, () => limits.begin());
  for (const body of bodies) body.take('noisy', 1);
  const [first, ...others] = bodies;
  for (let n = 0; n < 100; n++) first?.take('noisy', 1);
  for (const body of others) expect(() => body.take('noisy', 1)).toThrow(quota({ run: 'noisy' }));
  for (const body of bodies) body.release();
  clock.ms = 60_000;
  const again = limits.begin();
  for (let n = 0; n < 100; n++) again.take('noisy', 1);
});

describe('bytes in flight', () => {
  it('bodies of one run hold its bytes together, and have them back when they end', () => {
    const { limits } = opened({ noisy: { inFlightBytes: 8 * MB } });
    const [one, two, three] = [limits.begin(), limits.begin(), limits.begin()];
    one.take('noisy', 4 * MB);
    one.take('noisy', 4 * MB);
    two.take('noisy', 4 * MB);
    expect(() => three.take('noisy', 4 * MB)).toThrow(quota({ run: 'noisy', reason: 'in_flight' }));
    expect(() => two.hold(5 * MB)).toThrow(quota({ run: 'noisy' }));
    one.release();
    two.hold(5 * MB);
    expect(() => three.take('noisy', 4 * MB)).toThrow(quota({ run: 'noisy' }));
    two.release();
    three.take('noisy', 4 * MB);
  });

  it('one body alone may be larger: it would wait for ever', () => {
    const { limits } = opened({ noisy: { inFlightBytes: MB } });
    const body = limits.begin();
    body.reserve('noisy', 4 * MB);
    body.take('noisy', 4 * MB);
    body.hold(32 * MB);
    expect(() => limits.begin().reserve('noisy', 1)).toThrow(quota({ run: 'noisy' }));
  });
});

it('a run without quotas is not remembered, and one with quotas not for longer than it owes something', () => {
  const { clock, limits } = opened({});
  for (let n = 0; n < 2_000; n++) limits.begin().take(`run-${n}`, MB);
  expect(limits.remembered()).toBe(0);
  const rules = { of: () => ({ ...FREE, eventsPerSecond: 1 }), refuseClosed: () => undefined };
  const limited = createRunLimits(rules, () => clock.ms);
  for (let n = 0; n < 5_000; n++) {
    clock.ms += 1_000;
    const body = limited.begin();
    body.take(`run-${n}`, MB);
    body.release();
  }
  expect(limited.remembered()).toBeLessThanOrEqual(1_001);
});
