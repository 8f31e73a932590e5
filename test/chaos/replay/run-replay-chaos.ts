import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../../examples/generate/random.ts';
import { openKafkaBroker } from '../../../src/broker/kafka/open-kafka-broker.ts';
import type { Accounting, RunAccounting } from '../../../src/clickhouse/accounting.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { topicNames } from '../../../src/config/topics.ts';
import type { ReplayReport } from '../../../src/rescore/replays.ts';
import { endPrograms, runProgram, startProgram } from '../../e2e/program.ts';
import { type Cluster, writeWorkerConfig } from '../cluster.ts';
import { createAsk } from '../delivery/ask.ts';
import { checkReplay } from './check-replay.ts';
import { createKillReplay } from './kill-replay.ts';
import { readReplayed } from './read-replayed.ts';
import { createRunTrainer, type Phase, type RunTrainer } from './run-trainer.ts';
import { sumsRuns } from './sums-runs.ts';

export interface ReplayChaos {
  readonly services: Pick<Cluster, 'brokers' | 'registryUrl' | 'clickhouseUrl'>;
  readonly folder: string;
  /** Of the topics. */
  readonly prefix: string;
  /** What run ids begin with. */
  readonly runNames: string;
  /** Each is emitted by transactions of its own. */
  readonly runs: number;
  /** Of each run. */
  readonly groups: number;
  readonly kills: { readonly scoring: number; readonly emitting: number };
  readonly seed: string;
  readonly say: (text: string) => void;
}

export interface ReplayOutcome {
  readonly wrong: readonly string[];
  readonly figures: ReadonlyMap<string, string | number>;
}

const PATIENCE_MS = 60_000;

/**
 * Wrong verdicts are imported and some groups trained; then a replay by the right verifier, which is killed again and again while it
 * scores and while it emits, and trainers that go on meanwhile, die and go back.
 */
export async function runReplayChaos(options: ReplayChaos): Promise<ReplayOutcome> {
  const { services, folder, prefix, seed, say, kills } = options;
  const began = performance.now();
  const random = createRandom(`${seed} replay`);
  const names = Array.from({ length: options.runs }, (_, at) => `${options.runNames}${at}`);
  const { lines, sent } = sumsRuns(names, options.groups);
  const [steps, config] = [join(folder, 'steps.jsonl'), join(folder, 'worker.yaml')];
  await writeFile(steps, lines.map((line) => `${line}\n`).join(''));
  await writeWorkerConfig(config, services, {
    partitions: 2,
    topic_prefix: prefix,
    'replay.chunk_events': 100,
    'delivery.max_deliveries': 1000,
  });
  const where = ['--config', config];
  const topic = topicNames(prefix).ready;
  const broker = await openKafkaBroker({ brokers: [services.brokers], clientId: 'replay-chaos' });
  try {
    const server = startProgram(['up', ...where]);
    const url = (await server.saying(/serving at (\S+)/))[1] ?? '';
    await runProgram(['import', steps, '--wait', ...where]);
    const ask = createAsk([url], random);
    const trainers = names.map((run) => createRunTrainer(ask, random, run));
    const status = async (run: string): Promise<DeliveryStatus> =>
      JSON.parse((await ask('GET', `/v1/runs/${run}/delivery`)).body.toString());
    const heard = async (count: number): Promise<boolean> => {
      const all = await Promise.all(names.map(status));
      return all.reduce((sum, { ready_states }) => sum + sumOf(ready_states), 0) >= count;
    };
    await until('what is ready is known to whoever grants', () => heard(sent.size));
    for (const trainer of trainers) {
      for (let step = 0; step < 2; step += 1) {
        await trainer.step(2, 'before');
        await trainer.save();
      }
    }
    say(`${sent.size} rollouts of ${names.length} runs; four groups of each are trained`);

    const going = goOn(trainers, random, Math.floor(options.groups / 2));
    const verifier = `'${process.execPath}' '${packageFile('examples', 'rescore', 'verifier.js')}'`;
    const asked = ['replay', '--run', ...names, '--verifier', verifier, '--emit', '--json'];
    const kill = createKillReplay({ broker, topic, clickhouseUrl: services.clickhouseUrl, random, where, say });
    const replayId = await kill.whileItScores(asked, kills.scoring);
    await kill.whileItEmits(replayId, kills.emitting);
    const report: ReplayReport = JSON.parse(await runProgram(['replay', '--resume', replayId, '--json', ...where], 4));
    await going.stop();
    say('the replay is done');

    await until('what was emitted is known', () => heard(sent.size + (report.emitted?.trajectories ?? 0)));
    // Back behind a step once more: where a newer version came meanwhile it is what comes.
    for (const trainer of trainers) if (random() < 0.7) await trainer.die();
    for (const trainer of trainers) while (await trainer.step(4, 'after', 1_000)) await trainer.save();
    const books = await untilBooked(where, trainers);
    const all = await readReplayed(services, topic, await lastOf(broker, topic));
    const read = all.filter(({ trajectory: { run_id } }) => names.includes(run_id));
    const wrong = checkReplay({ replayId, sent, read, trainers, report, books });
    server.child.kill('SIGTERM');
    const { code } = await server.ended;
    if (code !== 0) wrong.push(`the server ended with ${code}`);
    const held = trainers.flatMap((trainer) => trainer.weights());
    const figures = new Map<string, string | number>([
      ['seed', seed],
      ...kill.figures,
      ['deaths of trainers', trainers.reduce((sum, trainer) => sum + trainer.deaths(), 0)],
      ['trajectories emitted again', report.emitted?.trajectories ?? 0],
      ...Object.entries(report.emitted?.left_out ?? {}).map(([why, n]) => [`groups left out: ${why}`, n] as const),
      ...(['before', 'during', 'after'] as const).map(
        (phase) => [`in the weights, leased ${phase}`, held.filter((one) => one.phase === phase).length] as const,
      ),
      ['seconds', Math.round((performance.now() - began) / 1000)],
    ]);
    return { wrong, figures };
  } finally {
    await endPrograms();
    await broker.close();
  }
}

interface DeliveryStatus {
  readonly ready_states: Readonly<Record<string, number>>;
}

function sumOf(states: Readonly<Record<string, number>>): number {
  return Object.values(states).reduce((sum, n) => sum + n, 0);
}

/** Trainers at work until they hold so many groups each, and then only dying at times. */
function goOn(trainers: readonly RunTrainer[], random: () => number, most: number) {
  let isOver = false;
  const phase: Phase = 'during';
  const work = async (trainer: RunTrainer): Promise<void> => {
    while (!isOver) {
      const groups = new Set(trainer.weights().map(({ unit }) => unit)).size;
      if (groups < most && random() < 0.3) await trainer.step(1, phase);
      if (random() < 0.2) await trainer.save();
      if (random() < 0.05) await trainer.die();
      await sleep(100 + 400 * random());
    }
  };
  const works = Promise.all(trainers.map(work));
  // Told when it is stopped.
  works.catch(() => undefined);
  return {
    async stop() {
      isOver = true;
      await works;
    },
  };
}

/** Rows follow what was answered. */
async function untilBooked(
  where: readonly string[],
  trainers: readonly RunTrainer[],
): Promise<readonly RunAccounting[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    // (Its exit code is another while they do not balance yet.)
    const { runs }: Accounting = JSON.parse((await startProgram(['accounting', '--json', ...where]).ended).stdout);
    const areIn = trainers.every(({ run, weights }) => {
      const book = runs.find(({ run_id }) => run_id === run);
      return (
        book?.balanced === true && book.ready_states.trained === weights().length && book.ready_states.leased === 0
      );
    });
    if (areIn || performance.now() > deadline) return runs;
  }
}

async function lastOf(broker: Awaited<ReturnType<typeof openKafkaBroker>>, topic: string): Promise<number> {
  const { start, end } = await broker.bounds(topic, 0);
  let last = -1;
  for (let at = start; at < end; at = last + 1) {
    const records = await broker.read(topic, 0, at, { maxBytes: 1 << 24, maxWaitMs: 1_000 });
    if (records.length === 0) break;
    last = records.at(-1)?.offset ?? last;
  }
  return last;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not after ${PATIENCE_MS} ms: ${what}`);
    await sleep(100);
  }
}
