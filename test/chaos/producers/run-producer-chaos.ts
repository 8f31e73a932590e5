import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../../examples/generate/random.ts';
import { freePorts } from '../../kafka/free-ports.ts';
import { checkProduced } from './check-produced.ts';
import { readExpected } from './expected-attempts.ts';
import { createKillableServer, type KillableServer } from './killable-server.ts';
import { type Front, type Naive, startLossyFront } from './lossy-front.ts';
import { readOutcome, untilClosed } from './produced-outcome.ts';
import { createProducerSlot, type ProducerSlot, spoolOf } from './producer-slot.ts';

export interface ProducerChaos {
  readonly folder: string;
  readonly seed: string;
  /** Of disturbances, the long outage not counted. */
  readonly seconds: number;
  /** Once, in the middle. */
  readonly outageS: number;
  /** A run each. */
  readonly runs: readonly ChaosRun[];
  readonly pauseMs: number;
  /** YAML of the server. */
  readonly config?: string;
  readonly say: (text: string) => void;
}

export interface ChaosRun {
  readonly name: string;
  readonly producers: number;
  /** Interpreter that has the client; null: the TypeScript recorder. */
  readonly python: string | null;
  /** What its front makes of its recorders; null: nothing. */
  readonly naive: Naive | null;
}

export interface ProducerChaosResult {
  /** By run. */
  readonly wrong: ReadonlyMap<string, readonly string[]>;
  readonly figures: readonly (readonly [string, string | number])[];
}

const CLOSE_MS = 60_000;
const POLL_MS = 100;

interface World {
  readonly server: KillableServer;
  readonly slots: readonly ProducerSlot[];
  readonly random: Random;
  readonly say: (text: string) => void;
  /** Of producers. */
  readonly counts: { SIGKILL: number; SIGTERM: number };
}

export async function runProducerChaos(chaos: ProducerChaos): Promise<ProducerChaosResult> {
  const { folder, seed, runs, say } = chaos;
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'server.yaml');
  await writeFile(config, chaos.config ?? '');
  const [port = 0, ...frontPorts] = await freePorts(1 + runs.length);
  const server = createKillableServer(port, join(folder, 'data'), config);
  const fronts: Front[] = [];
  for (const [at, { naive }] of runs.entries())
    fronts.push(await startLossyFront(frontPorts[at] ?? 0, server.url, naive));
  const slots = runs.flatMap(({ name, producers, python }, at) =>
    Array.from({ length: producers }, (_, n) =>
      createProducerSlot({
        ...{ name: `p${n}`, run: name, url: fronts[at]?.url ?? '', folder, python },
        ...{ seed: `${seed} ${name} ${n}`, pauseMs: chaos.pauseMs },
      }),
    ),
  );
  const world = { server, slots, random: createRandom(`${seed} faults`), say, counts: { SIGKILL: 0, SIGTERM: 0 } };
  try {
    await server.start();
    for (const slot of slots) slot.start();
    for (const slot of slots) await slot.recording();
    say('the server serves, the producers record');
    await disturb(world, chaos.seconds / 2);
    await longOutage(world, chaos.outageS);
    await disturb(world, chaos.seconds / 2);
    const wrong = await finish(world, runs, folder);
    const figures = [
      ['kills of the server', server.kills()] as const,
      ['kill -9 of producers', world.counts.SIGKILL] as const,
      ['SIGTERM of producers', world.counts.SIGTERM] as const,
      ['processes of producers', slots.flatMap((slot) => slot.truths()).length] as const,
      ['answers lost', fronts.reduce((sum, front) => sum + front.lost(), 0)] as const,
      ['answers 429, 503 and 507', fronts.reduce((sum, front) => sum + front.busy(), 0)] as const,
      ...wrong.figures,
    ];
    return { wrong: wrong.wrong, figures };
  } finally {
    await Promise.all(slots.map((slot) => slot.end('SIGKILL')));
    const code = await server.stop();
    for (const front of fronts) await front.close();
    say(`the server ended with ${code}`);
  }
}

/** The server and the producers in turn, as chance has it. */
async function disturb(world: World, seconds: number): Promise<void> {
  const { server, random, say } = world;
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    await sleep(300 + random() * 1500);
    if (random() < 0.4) {
      const awayMs = Math.round(100 + random() * 2500);
      say(`the server is killed, for ${awayMs} ms`);
      await server.kill();
      await sleep(awayMs);
      await server.start();
    } else await disturbProducer(world);
  }
}

async function disturbProducer(world: World): Promise<void> {
  const { slots, random } = world;
  const slot = slots[Math.floor(random() * slots.length)];
  if (slot === undefined) return;
  // Some die while they start, and take over what others left.
  if (random() < 0.8) await slot.recording();
  await endAndStart(world, slot, random() < 0.7 ? 'SIGKILL' : 'SIGTERM');
}

async function endAndStart(world: World, slot: ProducerSlot, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const { random, say, counts } = world;
  const { run, name } = slot.options;
  say(`producer ${run} ${name}: ${signal}`);
  counts[signal] += 1;
  await slot.end(signal);
  await sleep(random() * 800);
  slot.start();
}

/** Nothing is answered; producers record on, and die meanwhile as well. */
async function longOutage(world: World, seconds: number): Promise<void> {
  if (seconds === 0) return;
  const { server, slots, say } = world;
  say(`the server is killed, for ${seconds} s`);
  await server.kill();
  const until = performance.now() + seconds * 1000;
  await Promise.all(slots.map((slot) => endAndStart(world, slot, 'SIGKILL')));
  // However short it is, something is recorded in it.
  await Promise.all(slots.map((slot) => slot.recording()));
  for (const pauseMs = 10_000; performance.now() + pauseMs < until; ) {
    await sleep(pauseMs);
    await disturbProducer(world);
  }
  await sleep(Math.max(0, until - performance.now()));
  await server.start();
  say('the server serves again');
}

async function finish(
  { server, slots, say }: World,
  runs: readonly ChaosRun[],
  folder: string,
): Promise<{ wrong: Map<string, string[]>; figures: [string, string | number][] }> {
  const codes = await Promise.all(slots.map((slot) => slot.finish()));
  say('the producers have ended');
  // What those that were killed last have left is sent by the next one.
  for (const slot of firstOfEachSpool(slots)) {
    if ((await foldersIn(spoolOf(slot.options))).length === 0) continue;
    slot.start();
    await slot.recording();
    await untilAlone(spoolOf(slot.options));
    codes.push(await slot.finish());
  }
  const sound = runs.filter(({ naive }) => naive === null).map(({ name }) => name);
  await untilClosed(server.url, sound, CLOSE_MS);
  say('nothing is open any more');
  const wrong = new Map<string, string[]>();
  const figures: [string, string | number][] = [];
  for (const { name } of runs) {
    const mine = slots.filter(({ options }) => options.run === name);
    const truth = readExpected(mine.flatMap((slot) => slot.truths()));
    const outcome = await readOutcome(server.url, name);
    const left = (await Promise.all(mine.map(({ options }) => readdir(spoolOf(options))))).flat();
    wrong.set(name, [
      ...checkProduced(truth, outcome),
      ...(left.length > 0 ? [`the spool still holds ${left.join(', ')}`] : []),
      ...(codes.some((code) => code !== 0) ? [`the producers ended with ${codes.join(', ')}`] : []),
    ]);
    const { steps, decisions, ready, faults } = outcome;
    figures.push(
      [`${name}: events`, steps.length],
      [`${name}: attempts`, decisions.length],
      [`${name}: ready`, ready.length],
      [`${name}: faults`, faults.map(({ reason, n }) => `${reason} ${n}`).join(', ') || 'none'],
    );
  }
  await writeFile(join(folder, 'wrong.json'), JSON.stringify([...wrong], null, 1));
  return { wrong, figures };
}

/** Until the only spool in it is that of the producer that runs. */
async function untilAlone(spool: string): Promise<void> {
  for (const until = performance.now() + CLOSE_MS; performance.now() < until; await sleep(POLL_MS))
    if ((await foldersIn(spool)).length === 1) return;
}

async function foldersIn(spool: string): Promise<string[]> {
  const entries = await readdir(spool, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function firstOfEachSpool(slots: readonly ProducerSlot[]): ProducerSlot[] {
  const first = new Map(slots.map((slot) => [spoolOf(slot.options), slot] as const).reverse());
  return [...first.values()];
}
