import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import type { TrajectoryJson } from '../../src/ready/trajectory-json.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { jsonLinesOf, rollstream, startRollstream } from '../e2e/rollstream.ts';
import { findPython, pythonWith } from '../python-with.ts';
import { startTypescript } from '../start-typescript.ts';
import { pythonKafka } from './python-kafka.ts';

/** The plain Kafka consumers of examples/consumers, beside `ready`: the same groups, members and token ids. */

interface Group {
  readonly unit: string;
  readonly run: string;
  readonly rollouts: readonly {
    readonly rollout_id: string;
    readonly attempt: number;
    readonly reward: number | null;
    readonly advantage: number | null;
    readonly tokens: number;
    readonly loss_tokens: number;
    readonly ids_sha256: string;
  }[];
}

let folder = '';
let front: FrontProcess | null = null;
let worker: ChildProcessWithoutNullStreams | null = null;
let expected: Group[] = [];
let topic = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-consumers-'));
  front = await startFront({ writable: true });
  const prefix = `consumers-${randomUUID()}.`;
  topic = `${prefix}trajectories.ready`;
  const config = join(folder, 'worker.yaml');
  const { kafka, registry } = inject('services');
  const keys = {
    ...{ 'kafka.brokers': [kafka], 'registry.url': registry, 'clickhouse.url': front.url },
    ...{ 'http.port': 0, topic_prefix: prefix, partitions: 3 },
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(keys));
  worker = await serving(startRollstream('up', '--config', config));
  const files = ['calculator-events', 'files-events'].map((name) =>
    packageFile('examples', 'rollouts', name, 'steps.jsonl'),
  );
  const imported = await rollstream('import', ...files, '--wait', '--config', config);
  expect(imported, imported.stderr).toMatchObject({ code: 0 });
  expected = groupsOf(jsonLinesOf<TrajectoryJson>(await rollstream('ready', '--config', config)));
}, 300_000);

afterAll(async () => {
  if (worker !== null && worker.exitCode === null) {
    const gone = once(worker, 'exit');
    worker.kill();
    await gone;
  }
  await front?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function serving(started: ChildProcessWithoutNullStreams): Promise<ChildProcessWithoutNullStreams> {
  let said = '';
  started.stdout.resume();
  await new Promise<void>((resolve, reject) => {
    started.stderr.setEncoding('utf8').on('data', (words: string) => {
      said += words;
      if (said.includes('serving at')) resolve();
    });
    started.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  return started;
}

/** By the ids in the trajectories, in the order in which each became whole. */
function groupsOf(ready: readonly TrajectoryJson[]): Group[] {
  const open = new Map<string, TrajectoryJson[]>();
  return ready.flatMap((trajectory) => {
    const { run_id, epoch, group_id, rollout_id, group_size_actual } = trajectory;
    const unit = `${run_id}/${epoch}/${group_id === null ? `r/${rollout_id}` : `g/${group_id}`}`;
    const members = [...(open.get(unit) ?? []), trajectory];
    open.set(unit, members);
    if (members.length < (group_size_actual ?? 1)) return [];
    open.delete(unit);
    return { unit, run: run_id, rollouts: members.map(rowOf) };
  });
}

function rowOf({ rollout_id, attempt, reward, advantage, rollout_loss_tokens, segments }: TrajectoryJson) {
  const ids = segments.flatMap(({ token_ids }) => token_ids);
  const bytes = Buffer.from(Uint32Array.from(ids).buffer);
  return {
    ...{ rollout_id, attempt, reward, advantage, tokens: ids.length, loss_tokens: rollout_loss_tokens },
    ids_sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

async function groupsBy(start: (args: readonly string[]) => ChildProcessWithoutNullStreams, limit: number) {
  const { kafka, registry } = inject('services');
  const group = `${topic}-${randomUUID()}`;
  const args = [
    '--brokers',
    kafka,
    '--registry',
    registry,
    '--topic',
    topic,
    '--limit',
    String(limit),
    '--group',
    group,
  ];
  const child = start(args);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Group => JSON.parse(line));
}

it('there are groups of several members to compare', () => {
  expect(expected.length).toBeGreaterThan(5);
  expect(expected.some(({ rollouts }) => rollouts.length > 2)).toBe(true);
});

const found = await findPython();
if (found !== null)
  it('consume.py (confluent-kafka, fastavro) prints whole groups in ready order, to the token id', async () => {
    const python = await pythonWith(found, pythonKafka);
    const file = packageFile('examples', 'consumers', 'consume.py');
    expect(await groupsBy((args) => spawn(python, [file, ...args]), expected.length)).toEqual(expected);
  }, 300_000);
else process.stderr.write('there is no Python 3.10 or later: consume.py was not tried\n');

it('consume.ts (kafkajs, avsc) prints the same', async () => {
  const start = (args: readonly string[]) =>
    startTypescript('../../examples/consumers/consume.ts', import.meta.url, args);
  expect(await groupsBy(start, expected.length)).toEqual(expected);
});
