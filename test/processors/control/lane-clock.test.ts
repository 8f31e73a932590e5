import { describe, expect, it } from 'vitest';
import { createLaneClock } from '../../../processors/control/lane-clock.ts';

describe('the clock of a lane', () => {
  it('is what the records say while it lags, the wall clock once it has caught up, and never goes back', () => {
    const clock = createLaneClock();
    expect(clock.now()).toBe(0);
    clock.recordRead(5_000);
    clock.recordRead(4_000);
    expect(clock.now()).toBe(5_000);
    clock.caughtUp(9_000);
    expect(clock.now()).toBe(9_000);
    clock.recordRead(8_000);
    clock.caughtUp(8_500);
    expect(clock.now()).toBe(9_000);
  });
});
