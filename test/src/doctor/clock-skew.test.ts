import { expect, it } from 'vitest';
import { CheckFault } from '../../../src/doctor/check.ts';
import { clockSkew } from '../../../src/doctor/clock-skew.ts';

/** Asked from 1,000 ms on; the answer comes 40 ms later. */
function clock() {
  const times = [1_000, 1_040];
  return () => times.shift() ?? Number.NaN;
}

it.each([
  ['within the asking', 1_020, 'no difference'],
  ['ahead', 2_540, '1500 ms apart'],
  ['behind', 500, '-500 ms apart'],
])('a clock that is %s by less than two seconds is good', async (_, theirs, text) => {
  expect(await clockSkew(clock(), async () => theirs)).toBe(`${text}, measured within 40 ms`);
});

it.each([
  ['ahead', 3_041],
  ['behind', -1_001],
])('a clock that is %s by more than two seconds is a fault with a fix', async (_, theirs) => {
  const fault = await clockSkew(clock(), async () => theirs).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(CheckFault);
  expect(fault).toMatchObject({ fix: expect.stringContaining('NTP') });
});
