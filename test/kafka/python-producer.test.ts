import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import { partitionOf } from '../../src/broker/partition-of.ts';
import type { Broker, LogRecord } from '../../src/broker/port.ts';
import { packageFile } from '../../src/config/package-file.ts';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { jsonLines } from '../e2e/json-lines.ts';
import { startRollstream } from '../e2e/rollstream.ts';
import { findPython, pythonWith } from '../python-with.ts';
import { pythonKafka } from './python-kafka.ts';

/** examples/producers/produce.py: a program that has nothing of rollstream writes rollouts that are trained on. */

const PARTITIONS = 3;
let folder = '';
let front: FrontProcess | null = null;
let worker: ChildProcessWithoutNullStreams | null = null;
let broker: Broker;
let prefix = '';
let url = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-producers-'));
  front = await startFront({ writable: true });
  broker = await openKafkaBroker({ brokers: [inject('services').kafka] });
  prefix = `producers-${randomUUID()}.`;
  const config = join(folder, 'worker.yaml');
  const { kafka, registry } = inject('services');
  const keys = {
    ...{ 'kafka.brokers': [kafka], 'registry.url': registry, 'clickhouse.url': front.url },
    ...{ 'http.port': 0, topic_prefix: prefix, partitions: PARTITIONS },
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(keys));
  const started = startRollstream('up', '--config', config);
  worker = started;
  let said = '';
  await new Promise<void>((resolve, reject) => {
    started.stdout.resume();
    started.stderr.setEncoding('utf8').on('data', (words: string) => {
      said += words;
      url = /serving at (\S+)/.exec(said)?.[1] ?? '';
      if (url !== '') resolve();
    });
    started.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
});

afterAll(async () => {
  if (worker !== null && worker.exitCode === null) {
    const gone = once(worker, 'exit');
    worker.kill();
    await gone;
  }
  await broker?.close();
  await front?.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Written {
  readonly key: string;
  readonly partition: number;
  readonly rollout_id: string;
  readonly seq: number | null;
  readonly kind: string;
}

const found = await findPython();
const python = found === null ? null : await pythonWith(found, pythonKafka);

/** Of several `--topic` the last one counts. */
async function produce(...args: readonly string[]): Promise<Written[]> {
  const { kafka, registry } = inject('services');
  const services = ['--brokers', kafka, '--registry', registry, '--topic', `${prefix}rollout.steps`];
  const child = spawn(python ?? '', [packageFile('examples', 'producers', 'produce.py'), ...services, ...args]);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return jsonLines(stdout);
}

/** Records of a topic from the beginning, once there are so many. */
async function records(topic: string, count: number): Promise<LogRecord[]> {
  const read: LogRecord[] = [];
  while (read.length < count)
    read.push(...(await broker.read(`${prefix}${topic}`, 0, read.length, { maxBytes: 1e6, maxWaitMs: 10_000 })));
  return read;
}

if (python === null) process.stderr.write('there is no Python 3.10 or later: produce.py was not tried\n');
else {
  it('its rollouts are ready, to the token id, the mask, the bit of a logprob and the version of the weights', async () => {
    const written = await produce('--run', 'sums', '--group', '2+2');
    expect(written.map(({ key, kind, seq }) => [key, kind, seq])).toEqual(
      Array.from({ length: 2 }, () => [
        ['sums/0/g/2%2B2', 'start', 0],
        ['sums/0/g/2%2B2', 'model_call', 1],
        ['sums/0/g/2%2B2', 'message', 2],
        ['sums/0/g/2%2B2', 'model_call', 3],
        ['sums/0/g/2%2B2', 'end', 4],
        ['sums/0/g/2%2B2', 'verdict', null],
      ]).flat(),
    );
    await records('trajectories.ready', 2);
    const ready = jsonLines<TrajectoryJson>(await (await fetch(`${url}/v1/ready?run=sums`)).text());
    const f32 = Math.fround;
    expect(ready.map(({ rollout_id, reward, disposition }) => [rollout_id, reward, disposition])).toEqual([
      ['2+2_0', 1, 'train'],
      ['2+2_1', 0, 'train'],
    ]);
    expect(ready.map(({ segments }) => segments)).toEqual(
      [19, 20].map((answer) => [
        {
          ...{ segment_id: 'main', parent_segment_id: null, fork_at: null, prompt_len: 8 },
          token_ids: [
            ...[151644, 872, 198, 17, 10, 17, 30, 151645, 151657, 17, 10, 17, 151658],
            ...[151665, 19, 151666, answer, 151645],
          ],
          sampled_mask: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1],
          loss_mask: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1],
          logprobs: [0, 0, 0, 0, 0, 0, 0, 0, -0.25, f32(-0.1), f32(-1e-7), -3.5, -2, 0, 0, 0, f32(-0.7), f32(-0.3)],
          weight_spans: [
            { start: 8, version: 'v1' },
            { start: 17, version: 'v2' },
          ],
        },
      ]),
    );
  });

  it('keys go where Java’s partitioner puts them, whatever stands in their ids', async () => {
    for (const group of ["it's (1*2)!~", 'é/🙂 %', '测试-3']) {
      const written = await produce('--run', 'keys', '--group', group);
      // encodeURIComponent is what the pipeline makes its keys of.
      const key = `keys/0/g/${encodeURIComponent(group)}`;
      expect([...new Set(written.map((record) => record.key))]).toEqual([key]);
      expect([...new Set(written.map(({ partition }) => partition))]).toEqual([partitionOf(key, PARTITIONS)]);
    }
    expect(await records('trajectories.ready', 8)).toHaveLength(8);
  });

  it('what librdkafka’s own partitioner put elsewhere is in dead-letter, with the setting that it lacked', async () => {
    // By CRC32 partition 1, by murmur2 2.
    const group = 'elsewhere';
    const key = `wrong/0/g/${group}`;
    const written = await produce('--run', 'wrong', '--group', group, '--partitioner', 'consistent_random');
    expect([...new Set(written.map(({ partition }) => partition))]).toEqual([1]);
    const letters = await records('rollout.dead-letter', written.length);
    const advice = `2, the murmur2 partition of ${key} (with librdkafka set partitioner=murmur2_random)`;
    for (const { headers } of letters)
      expect(headers).toMatchObject({ error: 'wrong_partition', expected: advice, got: '1' });
  });

  it('the schema is registered by the first that writes, and the records name it', async () => {
    const topic = `${prefix}of-their-own`;
    await broker.ensureTopics([{ name: topic, partitions: 1, compacted: false }]);
    const subject = `${inject('services').registry}/subjects/${topic}-value/versions/latest`;
    expect((await fetch(subject)).status).toBe(404);
    await produce('--topic', topic, '--schema', packageFile('schemas', 'step-event.avsc'));
    const { id, schema }: { id: number; schema: string } = JSON.parse(await (await fetch(subject)).text());
    expect(JSON.parse(schema)).toMatchObject({ name: 'StepEvent' });
    const [record] = await records('of-their-own', 12);
    expect(schemaIdOf(record?.value ?? Buffer.alloc(0))).toBe(id);
  });
}
