import { expect, it } from 'vitest';
import { refusalError } from '../../../src/delivery/refusal-error.ts';

it('of tokens that name a part of a lease says of which one, and that all of it is to be named', () => {
  const { code, message, facts } = refusalError({ reason: 'lease_lost', part: '3.ab.17' });
  expect({ code, facts }).toEqual({ code: 'RS_LEASE_LOST', facts: { reason: 'lease_lost' } });
  expect(message).toMatch(/lease 3\.ab\.17 name only a part of it: name all of its `offsets`/);
});
