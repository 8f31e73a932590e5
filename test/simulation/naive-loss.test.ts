import { afterEach, expect, test, vi } from 'vitest';
import { createSimulateSeed } from '../../src/simulate/simulate-seed.ts';

/** Of a log that forgets, too, the simulation can fail: what is lost and not told is caught. */
const on = vi.hoisted(() => ({ name: '' }));

vi.mock('../../src/lanes/settle-loss.ts', async (original) => {
  const real = await original<typeof import('../../src/lanes/settle-loss.ts')>();
  const settleLoss: typeof real.settleLoss = (deps, ...rest) => {
    const isLeftOut = (table: string) => on.name === `without_${table}`;
    const insert: typeof deps.store.insert = async (batch) =>
      isLeftOut(batch.table) ? undefined : deps.store.insert(batch);
    return real.settleLoss({ ...deps, store: { ...deps.store, insert } }, ...rest);
  };
  return { ...real, settleLoss };
});

vi.mock('../../src/lanes/lost-decision.ts', async (original) => {
  const real = await original<typeof import('../../src/lanes/lost-decision.ts')>();
  const lostDecision: typeof real.lostDecision = (open, at) =>
    real.lostDecision(open, on.name === 'cause_at_the_frontier' ? { ...at, offset: at.offset + 1 } : at);
  return { ...real, lostDecision };
});

afterEach(() => {
  on.name = '';
});

test.each(['without_decisions', 'without_lanes', 'cause_at_the_frontier'])(
  '%s',
  async (name) => {
    on.name = name;
    const simulateSeed = createSimulateSeed();
    for (let seed = 0; seed < 60; seed++) {
      const { failure } = await simulateSeed(String(seed), 6);
      if (failure === null) continue;
      expect(failure).toMatch(/a log that forgets: Error: accounting/);
      return;
    }
    expect.fail(`${name} is not caught`);
  },
  300_000,
);
