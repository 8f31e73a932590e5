import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schemaIdOf } from '../../../processors/decode/wire-format.ts';
import { unitOf } from '../../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { type Trajectory, trajectorySchema } from '../../../schemas/generated/trajectory.ts';
import { type App, openApp } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { silentRecorder } from '../../../src/observe/recorder.ts';
import { createReplays } from '../../../src/rescore/create-replays.ts';
import type { ReplayRequest } from '../../../src/rescore/replay-request.ts';
import { attemptOf } from '../../processors/events.ts';

/** A history that is rewritten at each call is copied at each: its events fit into records, its token data into no row. */
const HISTORY = 400_000;
const CALLS = 20;
const RUN = 'rewritten';

let data: string;
let app: App;
let live: Trajectory;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'rollstream-large-'));
  const log = pino({ level: 'silent' });
  const config = loadConfig({ flags: { data }, env: {}, cwd: data });
  app = await openApp(config, { log, recorder: silentRecorder, now: Date.now, url: null, withLanes: true });
  const { start, call, end, verdict } = attemptOf({ run_id: RUN });
  const first = call(1, { prompt: Array.from({ length: HISTORY }, (_, at) => at % 1000), sampled: [7] });
  const rewritten = Array.from({ length: CALLS }, (_, at) =>
    call(at + 2, { prompt_prefix_len: HISTORY - 1, prompt: [at], sampled: [8, 9] }),
  );
  await append([start(), first, ...rewritten, end(CALLS + 2), verdict(1)]);
  await app.lanes?.drained();
  [live] = await readyRecords();
});
afterAll(async () => {
  await app.close();
  rmSync(data, { recursive: true });
});

async function append(events: readonly StepEventInit[]): Promise<void> {
  const encode = await app.codecs.encoderOf<StepEventInit>(`${app.topics.steps}-value`, stepEventSchema);
  for (const event of events)
    await app.broker.append(app.topics.steps, [
      { key: unitOf({ epoch: 0, group_id: null, ...event }), value: encode(event) },
    ]);
}

async function readyRecords(): Promise<[Trajectory, ...Trajectory[]]> {
  const decode = app.codecs.decoderOf<Trajectory>(trajectorySchema);
  const { end } = await app.broker.bounds(app.topics.ready, 0);
  const found: Trajectory[] = [];
  for (let offset = 0; offset < end; ) {
    for (const record of await app.broker.read(app.topics.ready, 0, offset, { maxBytes: 1 << 22, maxWaitMs: 0 })) {
      offset = record.offset + 1;
      if (record.value === null) throw new Error('a tombstone');
      const id = schemaIdOf(record.value);
      await app.codecs.prepare(typeof id === 'number' ? [id] : []);
      const outcome = decode(record.value);
      if (outcome.kind !== 'ok') throw new Error(outcome.kind);
      found.push(outcome.value);
    }
  }
  const [first, ...rest] = found;
  if (first === undefined) throw new Error('nothing is ready');
  return [first, ...rest];
}

const requestOf = (source: 'store' | 'log'): ReplayRequest => ({
  ...{ replayId: `of-${source}`, runs: [RUN], from: null, to: null, where: null, policy: null, taxonomy: null },
  ...{ audits: false, source, save: true, label: '', late: 'use', against: '', withVerdicts: false },
  emit: { topic: null, again: false, stale: 'emit', unchanged: 'emit' },
});

it.each(['store', 'log'] as const)(
  'from the %s: token data that no row holds goes to a blob before the row, and is emitted by that',
  async (source) => {
    const ref = live.segments_ref;
    expect(ref?.length).toBeGreaterThan(64 * 2 ** 20);
    // What the lane has written must not be what is found.
    await app.blobs?.removeOld(Date.now() + 1e9);
    const { replayId } = requestOf(source);
    const replays = createReplays(app, { log: pino({ level: 'silent' }), isAlone: true });
    await replays.start(requestOf(source));
    await expect.poll(async () => (await replays.status(replayId)).state, { timeout: 100_000 }).toBe('done');
    expect((await replays.report(replayId)).emitted).toMatchObject({ units: 1, trajectories: 1, left_out: {} });
    await replays.close();
    // The same documents: the same loss mask as the lane gave it.
    const [row] = await app.store.query<{ sha256: string; stored: number }>(
      `SELECT segments_sha256 AS sha256, toUInt32(length(segments.segment_id)) AS stored
      FROM rollstream.trajectories FINAL WHERE replay_id = {id:String}`,
      { id: replayId },
    );
    expect(row).toEqual({ sha256: ref?.sha256, stored: 0 });
    const again = (await readyRecords()).at(-1);
    expect(again).toMatchObject({ segments_ref: ref, segments: [] });
    expect(ref === null || ref === undefined ? 'no ref' : await app.blobs?.faultOf(ref)).toBeNull();
  },
  120_000,
);
