import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeAttempts } from '../../../src/clickhouse/tables/attempts.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { listRuns } from '../../../src/runs/list-runs.ts';
import { openRunRegistry, type RunRegistry } from '../../../src/runs/registry.ts';
import { createWriteRun, newRunRow } from '../../../src/runs/write-run.ts';
import { sampleDecision, sampleStep } from '../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());
const store = () => temporary.store;
const OWNER = { topic: 'rollout.steps', term: 1 };

/** As a server has it; `seen` lets it look at the store. */
async function server(): Promise<{ readonly registry: RunRegistry; readonly look: () => Promise<void> }> {
  let wake: () => void = () => undefined;
  const registry = await openRunRegistry({
    ...{ store: store(), quota: { eventsPerSecond: 50, inFlightBytes: null }, everyMs: 1_000 },
    ...{ log: pino({ level: 'silent' }) },
    sleep: (_, ended) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        ended.addEventListener('abort', () => resolve(), { once: true });
      }),
  });
  const look = (): Promise<void> =>
    new Promise<void>((resolve) => {
      registry.onChange(resolve);
      wake();
    });
  return { registry, look };
}

test('what one server says of a run, another knows at its next look; until then as before', async () => {
  const [here, there] = [await server(), await server()];
  const write = createWriteRun({ store: store(), registry: here.registry, now: () => 1_000 });
  const row = await write(newRunRow('a', 500), { state: 'archived', events_per_second: 2, changed_by: 'me' });
  expect(row).toMatchObject({ version: 1, createdAtMs: 500, changedAtMs: 1_000 });
  expect(() => here.registry.refuseClosed('a')).toThrow('run a is archived: unarchive it first');
  expect(there.registry.stateOf('a')).toBe('active');
  await there.look();
  expect(there.registry.stateOf('a')).toBe('archived');
  expect([there.registry.of('a'), there.registry.of('b')]).toEqual([
    { eventsPerSecond: 2, inFlightBytes: null },
    { eventsPerSecond: 50, inFlightBytes: null },
  ]);
  expect(() => there.registry.refuseClosed('b')).not.toThrow();
  await write(row, { state: 'deleting', ready_below: 7 });
  await there.look();
  expect([...there.registry.ending()]).toEqual(['a']);
  expect([there.registry.isGone('a', 9), there.registry.isGone('b', 0)]).toEqual([true, false]);
  await Promise.all([here.registry.close(), there.registry.close()]);
});

test('who was overtaken by another change is told, and changes nothing', async () => {
  const { registry } = await server();
  const write = createWriteRun({ store: store(), registry, now: () => 1_000 });
  const row = await write(newRunRow('both', 1), {});
  await write(row, { state: 'archived' });
  await expect(write(row, { state: 'deleting' })).rejects.toMatchObject({ code: 'RS_BUSY' });
  expect(registry.stateOf('both')).toBe('archived');
  await registry.close();
});

test('runs are listed that were declared, that have something open, and that were decided, each once', async () => {
  await store().insert(encodeTerms([{ partition: 0, restored: 0 }], OWNER));
  const open = [{ run_id: 'lives', epoch: 0, unit: 'lives/0/r/r1', rollout_id: 'r1', attempt: 0 }];
  await store().insert(encodeLanes([{ partition: 0, frontier: 100, watermark: 0, open }], OWNER));
  const starts = [0, 1, 2].map((n) => sampleStep(n, { run_id: 'lives', rollout_id: `r${n}` }));
  await store().insert(encodeAttempts(starts, OWNER));
  const decided = { run_id: 'lives', group_id: null } as const;
  await store().insert(
    encodeDecisions(
      [
        sampleDecision(3, { ...decided, rollout_id: 'r0', unit: 'lives/0/r/r0', disposition: 'train' }),
        sampleDecision(4, { ...decided, rollout_id: 'r2', unit: 'lives/0/r/r2', disposition: 'drop' }),
      ],
      OWNER,
    ),
  );
  const { registry } = await server();
  const write = createWriteRun({ store: store(), registry, now: () => 2_000 });
  await write(newRunRow('declared/ü', 1_000), { purpose: 'eval', note: 'n' });
  const runs = await listRuns(store());
  expect(runs.map(({ run_id }) => run_id).sort()).toEqual(['a', 'both', 'declared/ü', 'lives']);
  expect(runs[0]).toMatchObject({
    ...{ run_id: 'lives', state: 'active', declared: false, started: 3, closed: 2, ready: 1, open: 1 },
    ...{ last_event_at: '2023-11-14 22:13:20.000000', created_at: null, purpose: null, removed: {} },
  });
  expect(await listRuns(store(), 'declared/ü')).toMatchObject([
    { declared: true, purpose: 'eval', note: 'n', started: 0, open: 0, last_event_at: null, first_started_at: null },
  ]);
  expect(await listRuns(store(), 'nobody')).toEqual([]);
  await registry.close();
});
