import { expect, it } from 'vitest';
import type { HeldVerdict } from '../../../processors/model/attempt.ts';
import { turnRewardsOf } from '../../../processors/model/turn-reward.ts';

const verdict = (boundTo: number | null, rewards: HeldVerdict['rewards'], over: Partial<HeldVerdict> = {}) => ({
  ...{ scorer: 's', scorerVersion: '1', status: 'scored' as const, rewards, notFinite: [], boundTo },
  ...over,
});

it('a turn is worth what its verdicts scored; null where one is missing, nothing where none scored', () => {
  const rewards = turnRewardsOf([
    verdict(null, { whole: 9 }),
    verdict(0, { a: 0.5, b: 0.25 }),
    verdict(0, { c: 1 }, { scorer: 't' }),
    verdict(1, { a: null }),
    verdict(1, { a: 1 }, { scorer: 't' }),
    verdict(2, { a: 1 }, { status: 'crash' }),
    verdict(3, { a: 1e308, b: 1e308 }),
  ]);
  expect([...rewards]).toEqual([
    [0, 1.75],
    [1, null],
    [3, null],
  ]);
});
