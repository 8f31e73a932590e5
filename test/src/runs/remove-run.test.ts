import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createGrantKeeper } from '../../../src/admission/kept-grants.ts';
import { openBlobFolder } from '../../../src/blobs/open-blob-folder.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../src/broker/port.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeGates } from '../../../src/clickhouse/tables/gates.ts';
import { encodeSteps } from '../../../src/clickhouse/tables/steps.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { createRemoveRun } from '../../../src/runs/remove-run.ts';
import { countRunRows, runTables } from '../../../src/runs/run-tables.ts';
import { readRunRow } from '../../../src/runs/stored-runs.ts';
import { createWriteRun, newRunRow } from '../../../src/runs/write-run.ts';
import { sampleDecision, sampleStep } from '../clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
let folder = '';
let broker: Broker;
const topics = topicNames('');
const OWNER = { topic: topics.steps, term: 1 };

beforeAll(async () => {
  temporary = await temporaryStore();
  folder = await mkdtemp(join(tmpdir(), 'rollstream-remove-'));
  broker = await openEmbeddedBroker({ folder, now: Date.now });
  await broker.ensureTopics(topicSpecs('', 1));
  await broker.append(topics.ready, [{ key: 'k', value: Buffer.of(1) }]);
  await broker.append(topics.held, [{ key: 'k', value: Buffer.of(1) }]);
});
afterAll(async () => {
  await broker.close();
  await temporary.remove();
  await rm(folder, { recursive: true });
});

class Killed extends Error {}

/** What a process does in the world; it dies once it has done so many things, and never hears of the last one. */
function dyingAfter(effects: number) {
  let left = effects;
  const count = async <T>(done: Promise<T>): Promise<T> => {
    const value = await done;
    left -= 1;
    if (left <= 0) throw new Killed();
    return value;
  };
  const { store } = temporary;
  const counted: typeof store = {
    ...store,
    insert: (batch) => count(store.insert(batch)),
    removeRun: (tables, run) => count(store.removeRun(tables, run)),
  };
  const write = createWriteRun({ store: counted, registry: { refresh: async () => undefined }, now: () => 5 });
  return createRemoveRun({
    ...{ store: counted, broker, blobs: openBlobFolder(join(folder, 'blobs')), topics, write, seenAfterMs: 0 },
    drained: () => count(Promise.resolve()),
    isGranted: false,
    forgetGrants: (run) => count(createGrantKeeper(broker, topics.state).forget(run)),
    ...{ log: pino({ level: 'silent' }), sleep: async () => undefined, now: () => 5 },
    ended: new AbortController().signal,
  });
}

it('a deletion that dies behind any of its steps is gone on with to the same end', async () => {
  const { store } = temporary;
  const ends: number[] = [];
  for (let effects = 1; ends.length < 2; effects++) {
    const run_id = `dies after ${effects}`;
    await store.insert(encodeSteps([sampleStep(0, { run_id }), sampleStep(1, { run_id })], OWNER));
    await store.insert(encodeDecisions([sampleDecision(1, { run_id })], OWNER));
    const gate = { run_id, seq: 3, state: 'open', by: 'set', classes: [], why_json: '{}' } as const;
    await store.insert(encodeGates([{ ...gate, windowFromMs: 0, atMs: 8 }]));
    const write = createWriteRun({ store, registry: { refresh: async () => undefined }, now: () => 4 });
    const begun = await write(newRunRow(run_id, 1), { state: 'deleting', changed_by: 'me' });
    const outcome = await dyingAfter(effects)(begun).catch((error: unknown) => error);
    if (!(outcome instanceof Killed)) ends.push(effects);
    const found = await readRunRow(store, run_id);
    if (found?.state === 'deleting') await dyingAfter(Number.POSITIVE_INFINITY)(found);
    expect(await readRunRow(store, run_id)).toMatchObject({
      ...{ state: 'deleted', changed_by: 'me', ready_below: 1, held_below: 1, gate_seq: 3 },
      removed: { steps: 2, decisions: 1, gates: 1, blobs: 0, blobs_shared: 0 },
    });
    expect(await countRunRows(store, await runTables(store), run_id)).toEqual({});
  }
  // Lanes, the offsets, grants, rows, the end.
  expect(ends[0]).toBe(6);
});
