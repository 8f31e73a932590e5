import { afterAll, beforeAll, expect, it } from 'vitest';
import { readWindowCounts } from '../../../src/gate/window-counts.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';
import { gateRows } from './gate-rows.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

const LIMITS = [
  ...['pipeline_drift', 'template_failures', 'executed_repairs', 'unknown_reasons', 'auditable_coverage'],
  ...['reencode_drift', 'coerced', 'match_kl', 'match_logprob_diff', 'match_clipped'],
];
const all = (runId: string, fromMs = 0) => [{ runId, limits: LIMITS, fromMs }];

it('counts each rate among those that its audit looked at', async () => {
  const rows = gateRows(temporary.store);
  await rows.decided('r', 'a', { category: 'completion' }, [
    ['tokens', 'fail', 'pipeline_drift'],
    ['tools', 'fail', 'silent_repair'],
    ['tools', 'fail', 'coerced'],
    ['template', 'fail', 'eos_doubled'],
    ['reencode', 'warn', 'bpe_split'],
  ]);
  await rows.decided('r', 'b', { category: 'unknown' }, [
    ['tokens', 'pass', ''],
    ['tools', 'not_auditable', ''],
    ['template', 'warn', 'body'],
    ['reencode', 'not_auditable', ''],
    // Deferred first, looked at later: that counts.
    ['reencode', 'pass', ''],
  ]);
  await rows.decided('r', 'c', { category: 'completion' }, [
    ['tokens', 'not_auditable', ''],
    ['tools', 'pass', ''],
  ]);
  // In no window: no model call, superseded, asked to run again.
  await rows.decided('r', 'd', { category: 'unknown', turns: 0 }, []);
  await rows.decided('r', 'e', { category: 'unknown', disposition: 'superseded' }, []);
  await rows.decided('r', 'f', { category: 'unknown', disposition: 'retry' }, []);
  await rows.decided('other', 'a', { category: 'unknown' }, []);
  await rows.matched('r', 'a', { kl: 0.5, step: 1 });
  await rows.matched('r', 'a', { kl: 0.25, diff: 2, step: 2 });
  await rows.matched('r', 'b', { kl: 0.75, step: 1 });

  const counts = (await readWindowCounts(temporary.store, all('r'), 256)).get('r');
  expect(counts?.trajectories).toBe(3);
  expect(Object.fromEntries(counts?.rates ?? [])).toEqual({
    pipeline_drift: { n: 2, hits: 1, classes: ['pipeline_drift'] },
    template_failures: { n: 2, hits: 1, classes: expect.arrayContaining(['eos_doubled']) },
    executed_repairs: { n: 2, hits: 1, classes: ['silent_repair'] },
    unknown_reasons: { n: 3, hits: 1 },
    auditable_coverage: { n: 3, hits: 2 },
    reencode_drift: { n: 2, hits: 1, classes: ['bpe_split'] },
    coerced: { n: 2, hits: 1, classes: ['coerced'] },
    match_kl: { n: 2, sum: 1, sumOfSquares: 0.625 },
    match_logprob_diff: { n: 1, sum: 2, sumOfSquares: 4 },
  });
});

it('looks at the last ones of each run alone, and at none that was decided before its window', async () => {
  const rows = gateRows(temporary.store);
  for (let i = 0; i < 6; i += 1) {
    await rows.decided('x', `x${i}`, { category: i < 4 ? 'unknown' : 'completion', atMs: 1_000_000 + i }, []);
    await rows.decided('y', `y${i}`, { category: 'unknown', atMs: 2_000_000 + i }, []);
  }
  const asked = [
    { runId: 'x', limits: ['unknown_reasons'], fromMs: 0 },
    { runId: 'y', limits: ['unknown_reasons'], fromMs: 2_000_004 },
    { runId: 'nobody', limits: ['unknown_reasons'], fromMs: 0 },
  ];
  const counts = await readWindowCounts(temporary.store, asked, 3);
  expect(
    [...counts].map(([run, { trajectories, rates }]) => [run, trajectories, rates.get('unknown_reasons')]),
  ).toEqual([
    ['x', 3, { n: 3, hits: 1 }],
    ['y', 2, { n: 2, hits: 2 }],
    ['nobody', 0, { n: 0, hits: 0 }],
  ]);
});
