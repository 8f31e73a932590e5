import { join } from 'node:path';
import pino from 'pino';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { openEmbeddedBroker } from '../../src/broker/embedded/open-embedded-broker.ts';
import type { NewRecord } from '../../src/broker/port.ts';
import { openEmbeddedStore } from '../../src/clickhouse/client.ts';
import { topicNames, topicSpecs } from '../../src/config/topics.ts';
import { startLanes } from '../../src/lanes/start-lanes.ts';
import { silentRecorder } from '../../src/observe/recorder.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../src/registry/local/open-local-registry.ts';
import type { Bench } from './bench.ts';
import { defaultLaneSettings } from './lane-settings.ts';
import { type Spent, spentOn } from './rounds.ts';
import { createSampleSteps } from './sample-steps.ts';
import { spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';
import { createStopwatch, type Stopwatch, timedBroker, timedStore } from './timed-ports.ts';

const BATCH = 200;
const topics = topicNames('');

/** A producer appends framed steps while the lane runs: append → assemble → rows in ClickHouse and `ready`, all committed. */
export const endToEnd: Bench = {
  name: 'end-to-end',
  async run(size) {
    const count = size === 'full' ? 40_000 : 400;
    const rounds: Array<{ all: Spent; alone: Spent; watch: Stopwatch }> = [];
    for (let round = 0; round < (size === 'full' ? 3 : 1); round++)
      rounds.push(await inTemporaryFolder((folder) => oneRound(folder, count)));
    const rates = rounds.map(({ all }) => count / all.wallS);
    const alone = rounds.map((round) => count / round.alone.wallS);
    const value = spreadOf(rates);
    const middle = rounds.find((_, n) => rates[n] === value.median) ?? rounds[0];
    return [
      {
        name: 'embedded, append → ready + ClickHouse',
        value,
        unit: 'steps/s',
        yardstick: { name: 'the appends alone', value: spreadOf(alone) },
        ratio: spreadOf(rates.map((rate, n) => rate / (alone[n] ?? Number.NaN))).median,
        target: { text: '≥ 5,000/s', met: value.median >= 5000 },
        notes: middle === undefined ? [] : notesOf(middle.all, middle.watch, count),
      },
    ];
  },
};

function notesOf({ wallS, cpuS }: Spent, watch: Stopwatch, count: number): string[] {
  const each = (seconds: number) => `${((1e6 * seconds) / count).toFixed(1)} µs`;
  const parts = [...watch].map(
    ([what, { calls, wallS: waited }]) => `${what} ${calls} × ${((1000 * waited) / calls).toFixed(1)} ms`,
  );
  return [`a step: ${each(wallS)} wall, ${each(cpuS)} CPU of all threads`, `waited for: ${parts.join(', ')}`];
}

async function oneRound(folder: string, count: number): Promise<{ all: Spent; alone: Spent; watch: Stopwatch }> {
  const watch = createStopwatch();
  const log = await openEmbeddedBroker({ folder: join(folder, 'log') });
  const engine = await openEmbeddedStore({ folder: join(folder, 'store') });
  await engine.migrate();
  const registry = await openLocalRegistry({ folder: join(folder, 'registry') });
  await log.ensureTopics([...topicSpecs('', 1), { name: 'alone', partitions: 1, compacted: false }]);
  const encode = await createCodecs(registry).encoderOf<StepEventInit>(`${topics.steps}-value`, stepEventSchema);
  const batches = batchesOf(count, encode);
  const alone = await spentOn(async () => {
    for (const batch of batches) await log.append('alone', batch);
  });
  const deps = { broker: timedBroker(log, watch), store: timedStore(engine, watch), registry };
  const lanes = await startLanes(
    { ...deps, log: pino({ level: 'silent' }), recorder: silentRecorder, now: Date.now },
    defaultLaneSettings(),
  );
  const all = await spentOn(async () => {
    for (const batch of batches) await Promise.race([deps.broker.append(topics.steps, batch), lanes.failed]);
    await lanes.drained();
  });
  await lanes.close();
  const [rows] = await engine.query<{ n: number }>('SELECT toUInt32(count()) AS n FROM rollstream.steps FINAL');
  if (rows?.n !== count) throw new Error(`${rows?.n} rows of ${count} steps`);
  await engine.close();
  await log.close();
  return { all, alone, watch };
}

function batchesOf(count: number, encode: (event: StepEventInit) => Buffer): NewRecord[][] {
  const next = createSampleSteps('end-to-end');
  const batches: NewRecord[][] = [];
  for (let made = 0; made < count; made += BATCH)
    batches.push(
      Array.from({ length: BATCH }, () => {
        const event = next();
        return { key: unitOf({ epoch: 0, group_id: null, ...event }), value: encode(event) };
      }),
    );
  return batches;
}
