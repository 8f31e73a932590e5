import { expect, it } from 'vitest';
import { refusalError } from '../../../src/delivery/refusal-error.ts';

it('of tokens that name a part of a lease says of which one, and that all of it is to be named', () => {
  const { code, message, facts } = refusalError({ reason: 'lease_lost', part: '3.ab.17' });
  expect({ code, facts }).toEqual({ code: 'RS_LEASE_LOST', facts: { reason: 'lease_lost' } });
  expect(message).toMatch(/lease 3\.ab\.17 name only a part of it: name all of its `offsets`/);
});

it.each([
  [4, 5, false, '8 ranks, and the 4 first groups hold only 5 trajectories: ask for more groups, or unit rollout'],
  [1, 1, true, '8 ranks, and the first group holds only 1 trajectory: ask for more groups'],
])('of a step of %d groups with %d trajectories counts them', (units, trajectories, isUnitFixed, said) => {
  const short = { ranks: 8, units, trajectories, isUnitFixed };
  const { code, message, facts } = refusalError({ reason: 'too_few', short });
  expect({ code, message, facts }).toEqual({
    code: 'RS_DELIVERY_REFUSED',
    message: `too_few: ${said}`,
    facts: { reason: 'too_few' },
  });
});
