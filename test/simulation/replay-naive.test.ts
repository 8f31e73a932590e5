import { expect, test, vi } from 'vitest';
import type { StepRow } from '../../processors/model/effects.ts';
import { type Comparison, compareSeed } from './replay/live-and-replay.ts';

vi.mock('../../src/clickhouse/tables/steps.ts', async (original) => {
  const real = await original<typeof import('../../src/clickhouse/tables/steps.ts')>();
  const { eventColumns } = await import('../../src/clickhouse/tables/event-columns.ts');
  const byEventId = eventColumns<StepRow>((row) => row.event).find(({ name }) => name === 'unsequenced_id');
  const columns = real.stepsTable.columns.map((one) => (one.name === 'unsequenced_id' ? (byEventId ?? one) : one));
  return { ...real, stepsTable: { ...real.stepsTable, columns } };
});

test('a store that keeps control records by event id alone is caught: what was in force is not what it tells', async () => {
  const comparison: Comparison = { failures: [], dispositions: new Set() };
  for (let seed = 0; seed < 10 && comparison.failures.length === 0; seed++)
    await compareSeed({ crashes: 6, seed: `of a lane that crashes ${seed}` }, 'anew', comparison);
  expect(comparison.failures).not.toEqual([]);
});
