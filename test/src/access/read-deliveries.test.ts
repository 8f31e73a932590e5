import { afterAll, beforeAll, expect, it } from 'vitest';
import { readExplanation } from '../../../src/access/read-explanation.ts';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeDeliveries } from '../../../src/clickhouse/tables/deliveries.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages } from '../../../src/clickhouse/tables/lineages.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleDelivery, sampleLineage } from '../clickhouse/tables/sample-deliveries.ts';
import { sampleDecision, sampleStep } from '../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
  const { store } = temporary;
  const owner = { topic: 'rollout.steps', term: 1 };
  await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
  const rollouts = ['a', 'b', 'c'];
  for (const [index, rollout_id] of rollouts.entries()) {
    const of = { run_id: 'r', rollout_id };
    await store.insert(encodeAttempts([sampleStep(index, { ...of, start: {} })], owner));
    const decision = sampleDecision(10 + index, { ...of, unit: `r/0/r/${rollout_id}` });
    await store.insert(encodeDecisions([decision], owner));
  }
  await store.insert(encodeLanes([{ partition: 0, frontier: 20, watermark: 20, open: [] }], owner));
});
afterAll(() => temporary.remove());

it('explain says what became of what is ready: in its run, and in forks that took it over', async () => {
  const { store } = temporary;
  const of = { unit: 'r/0/r/a', rollout_id: 'a' };
  await store.insert(
    encodeDeliveries([
      sampleDelivery(1, { ...of, run_id: 'r', step: 7 }),
      sampleDelivery(1, { ...of, run_id: 'r-fork', state: 'queued', takenAtMs: null }),
      sampleDelivery(2, { unit: 'r/0/r/b', rollout_id: 'b', run_id: 'r', state: 'leased', deadlineMs: 0 }),
    ]),
  );
  await store.insert(
    encodeLineages([
      sampleLineage(0, { run_id: 'r-fork', kind: 'fork', parent: 'r' }),
      sampleLineage(1, { run_id: 'r-fork', step: 3 }),
    ]),
  );
  const told = async (rollout: string) => {
    const { rollouts } = await readExplanation({ store, policyFile: undefined }, rollout, null);
    return rollouts.flatMap(({ attempts }) => attempts)[0];
  };
  const a = await told('a');
  expect(a?.deliveries).toMatchObject([
    { run_id: 'r', state: 'trained', step: 7, lag: 0, taken_at: '2023-11-14 22:13:20.100', ran_out: false },
    { run_id: 'r-fork', state: 'queued', recorded_state: 'queued', taken_at: null },
  ]);
  expect(a?.summary).toMatch(/ It was trained by t in step 7, which made v1; its weights were the newest\.$/);
  const b = await told('b');
  expect(b?.deliveries).toMatchObject([{ state: 'queued', recorded_state: 'leased', ran_out: true }]);
  expect(b?.summary).toMatch(/ It is queued again: the lease of t ran out at 1970-01-01 00:00:00\.000 UTC\.$/);
  const c = await told('c');
  expect(c).not.toHaveProperty('deliveries');
});
