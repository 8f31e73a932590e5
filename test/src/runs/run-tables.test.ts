import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBlobFolder } from '../../../src/blobs/open-blob-folder.ts';
import { segmentsBlob } from '../../../src/blobs/segments-blob.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages } from '../../../src/clickhouse/tables/lineages.ts';
import { encodeSteps } from '../../../src/clickhouse/tables/steps.ts';
import { encodeTrajectories } from '../../../src/clickhouse/tables/trajectories.ts';
import { openAttemptsOf, usesOf } from '../../../src/runs/in-use.ts';
import { removeOwnBlobs } from '../../../src/runs/own-blobs.ts';
import { countRunRows, runTables } from '../../../src/runs/run-tables.ts';
import { sampleLineage } from '../clickhouse/tables/sample-deliveries.ts';
import { sampleDecision, sampleStep, sampleTrajectory } from '../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());
const store = () => temporary.store;
const OWNER = { topic: 'rollout.steps', term: 1 };

test('every table with a run_id is one that a deletion goes through, whatever comes to be', async () => {
  expect(await runTables(store())).toEqual([
    ...['attempts', 'audits', 'decisions', 'deliveries', 'delivery_leases', 'gates', 'lineages', 'released'],
    ...[
      'replay_emitted',
      'replay_verdicts',
      'rewards',
      'step_faults',
      'steps',
      'train_match',
      'trajectories',
      'verdicts',
    ],
  ]);
  // By hand: what has no run, or is of several.
  const others = await store().query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = 'rollstream' AND engine LIKE '%MergeTree'
       AND name NOT IN {tables:Array(String)} ORDER BY name`,
    { tables: await runTables(store()) },
  );
  expect(others.map(({ name }) => name)).toEqual([
    ...['applied', 'dead_letters', 'documents', 'lanes', 'migrations', 'replay_chunks', 'replays', 'runs', 'terms'],
    'verifier_results',
  ]);
});

test('the rows of a run go, of every table, and those of others stay, however the run is named', async () => {
  for (const run_id of ["o'brien\\/%2F ü\n", 'stays']) {
    await store().insert(encodeSteps([sampleStep(1, { run_id }), sampleStep(2, { run_id })], OWNER));
    await store().insert(encodeDecisions([sampleDecision(2, { run_id })], OWNER));
  }
  const tables = await runTables(store());
  expect(await countRunRows(store(), tables, "o'brien\\/%2F ü\n")).toEqual({ decisions: 1, steps: 2 });
  await store().removeRun(tables, "o'brien\\/%2F ü\n");
  expect(await countRunRows(store(), tables, "o'brien\\/%2F ü\n")).toEqual({});
  expect(await countRunRows(store(), tables, 'stays')).toEqual({ decisions: 1, steps: 2 });
  await store().removeRun(tables, 'nobody');
});

test('a run is in use by what is open of it, and by forks that live', async () => {
  const open = ['used', 'used', 'other'].map((run_id, attempt) => ({
    ...{ run_id, epoch: 0, unit: `${run_id}/0/r/r`, rollout_id: 'r', attempt },
  }));
  await store().insert(encodeLanes([{ partition: 0, frontier: 9, watermark: 1, open }], OWNER));
  await store().insert(encodeLineages([sampleLineage(0, { kind: 'fork', run_id: 'child', parent: 'used' })]));
  expect(await openAttemptsOf(store(), 'used')).toBe(2);
  const lease = { lease: '1.d.4', consumer: 'rank0', deadlineMs: 1_700_000_000_000 };
  expect(await usesOf(store(), 'used', [lease])).toEqual([
    '2 attempts are open',
    '1 lease is out (1.d.4 of rank0 until 2023-11-14T22:13:20.000Z)',
    'child began as a fork of it and shares its trajectories',
  ]);
  expect(await usesOf(store(), 'child', [])).toEqual([]);
  // Whoever may not read the fork is told that there is one.
  const told = (...runs: string[]) => usesOf(store(), 'used', [], new Set(['used', ...runs]));
  expect(await told()).toEqual([
    '2 attempts are open',
    '1 run of others began as a fork of it and shares its trajectories',
  ]);
  expect(await told('child')).toEqual([
    '2 attempts are open',
    'child began as a fork of it and shares its trajectories',
  ]);
});

test('blobs that only this run refers to are removed; those of two runs, and all while a fork lives, stay', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-own-blobs-'));
  const blobs = openBlobFolder(folder);
  const made = [1, 2].map((id) =>
    segmentsBlob([
      {
        ...{ segment_id: `s${id}`, token_ids: Buffer.from([id, 0, 0, 0]), prompt_len: 0 },
        ...{ sampled_mask: Buffer.of(1), loss_mask: Buffer.of(1) },
      },
    ]),
  );
  const [own, shared] = made;
  if (own === undefined || shared === undefined) throw new Error('two blobs are needed');
  for (const { blob } of made) await blobs.put(blob);
  const rows = [
    { run_id: 'blobs', rollout_id: 'a', ref: own.ref },
    { run_id: 'blobs', rollout_id: 'b', ref: shared.ref },
    { run_id: 'blobs2', rollout_id: 'c', ref: shared.ref },
  ].map(({ ref, ...names }, offset) => sampleTrajectory(offset, { ...names, segments: [], segments_ref: ref }));
  await store().insert(encodeTrajectories(rows, OWNER));
  const deps = { store: store(), blobs, now: () => Date.now() + 1_000 };
  expect(await removeOwnBlobs(deps, 'blobs', true)).toEqual({ blobs: 0, blobs_shared: 2 });
  // Written again since the rows were looked at: somebody is about to refer to it.
  expect(await removeOwnBlobs({ ...deps, now: () => 0 }, 'blobs', false)).toEqual({ blobs: 0, blobs_shared: 1 });
  expect(await removeOwnBlobs(deps, 'blobs', false)).toEqual({ blobs: 1, blobs_shared: 1 });
  expect(await blobs.read(own.ref.sha256)).toBe('blob_missing');
  expect(Buffer.isBuffer(await blobs.read(shared.ref.sha256))).toBe(true);
  await rm(folder, { recursive: true });
});
