import type { Schema } from 'avsc';
import { type Codecs, createCodecs, type Decode, type Encode } from '../registry/codecs.ts';
import { visibleRows } from './books.ts';
import { checkOutcome } from './check-outcome.ts';
import { createMemoryRegistry } from './memory-registry.ts';
import { createRandom } from './random.ts';
import { createSimulation, type Simulation, type SimulationDeps } from './simulation.ts';
import { readTableShapes } from './table-shapes.ts';

export interface SeedResult {
  /** What does not hold; null: all does. */
  readonly failure: string | null;
  readonly steps: number;
  readonly crashes: number;
  readonly faults: number;
}

/** Simulates one seed. */
export type SimulateSeed = (seed: string, crashes: number) => Promise<SeedResult>;

const TABLES = [
  'steps',
  'step_faults',
  'attempts',
  'decisions',
  'trajectories',
  'rewards',
  'verdicts',
  'audits',
  'dead_letters',
];
const TOPICS = ['ready', 'held', 'rejected', 'retries', 'deadLetter'] as const;

/**
 * Four runs of a seed: without a fault; its log again, with crashes, zombies and outages (every output must be equal); live with
 * faults, where deadlines, policies and retries land elsewhere, and then all of its input once more; and live with a log that forgets
 * what is still open.
 */
export function createSimulateSeed(): SimulateSeed {
  const deps: SimulationDeps = { codecs: remembering(createCodecs(createMemoryRegistry())), shapes: readTableShapes() };

  return async function simulateSeed(seed, crashes) {
    const runs: Simulation[] = [];
    const start = async (config: Parameters<typeof createSimulation>[0]): Promise<Simulation> => {
      const simulation = await createSimulation(config, deps);
      runs.push(simulation);
      return simulation;
    };
    let doing = 'without faults';
    let failure: string | null = null;
    try {
      const calm = await start({ seed, crashes: 0, buildsDiffer: false });
      await runLive(calm);
      doing = 'the same log with faults';
      const again = await start({ seed, crashes, buildsDiffer: false, script: calm.records('steps') });
      await again.drain();
      checkOutcome(again.outcome());
      mustBeEqual(outputsOf(again), outputsOf(calm));
      doing = 'live with faults';
      await runLive(await start({ seed, crashes, buildsDiffer: createRandom(`builds ${seed}`).chance(1 / 3) }));
      doing = 'live with faults and a log that forgets';
      await runForgetful(await start({ seed, crashes, buildsDiffer: false, forgets: true }));
      doing = 'with gates, without faults';
      const gated = await start({ seed, crashes: 0, buildsDiffer: false, gated: true });
      await runLive(gated);
      doing = 'the same log with gates and faults';
      const gatedAgain = await start({
        seed,
        crashes,
        buildsDiffer: false,
        gated: true,
        script: gated.records('steps'),
      });
      await gatedAgain.drain();
      checkOutcome(gatedAgain.outcome());
      mustBeEqual(outputsOf(gatedAgain), outputsOf(gated));
      doing = 'live with gates and faults';
      const buildsDiffer = createRandom(`builds ${seed}`).chance(1 / 3);
      await runLive(await start({ seed, crashes, buildsDiffer, gated: true }));
    } catch (error) {
      failure = `seed ${seed}, ${doing}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    }
    const total = (count: 'steps' | 'crashes' | 'faults') => runs.reduce((sum, { counts }) => sum + counts[count], 0);
    return { failure, steps: total('steps'), crashes: total('crashes'), faults: total('faults') };
  };
}

async function runLive(simulation: Simulation): Promise<void> {
  await simulation.drain();
  checkOutcome(simulation.outcome());
  simulation.send(simulation.later);
  await simulation.drain();
  checkOutcome(simulation.outcome());
  // The same files again, after everything closed and a restart: nothing that leaves may change.
  const before = topicsOf(simulation);
  const { input, store } = simulation.outcome();
  // What was given up as an orphan was never decided: a repeat, with other deadlines between, may start it.
  const orphans = new Set(
    store.rows('step_faults').flatMap((row) => (row.reason === 'orphan' ? [row.rollout_id] : [])),
  );
  const events = input.filter(
    ({ event }) => event !== null && event.kind !== 'control' && !orphans.has(event.rollout_id),
  );
  simulation.leaveGates();
  simulation.crash();
  simulation.send([events.map(({ record: { key, value } }) => ({ key, value }))]);
  await simulation.drain();
  checkOutcome(simulation.outcome());
  mustBeEqual(topicsOf(simulation), before);
}

/** What is lost is in the books as lost; what comes again after that is decided once, or late. */
async function runForgetful(simulation: Simulation): Promise<void> {
  await simulation.drain();
  checkOutcome(simulation.outcome());
  simulation.crash();
  const events = simulation.outcome().input.filter(({ event }) => event !== null && event.kind !== 'control');
  simulation.send([...simulation.later, events.map(({ record: { key, value } }) => ({ key, value }))]);
  await simulation.drain();
  checkOutcome(simulation.outcome());
}

/** What must not depend on the schedule, given the log: everything but who wrote it. */
function outputsOf(simulation: Simulation): Record<string, string[]> {
  const rows = TABLES.map((table) => [
    table,
    visibleRows(simulation.world.store, table)
      .map((row) => JSON.stringify({ ...row, term: null, version: null }))
      .sort(),
  ]);
  const topics = topicsOf(simulation);
  // When what was held is moved is nothing that the log of a lane says.
  const held = new Set(topics.held);
  const ready = topics.ready?.filter((record) => !held.has(record)) ?? [];
  return { ...topics, ready, ...Object.fromEntries(rows) };
}

function topicsOf(simulation: Simulation): Record<string, string[]> {
  return Object.fromEntries(
    TOPICS.map((topic) => [
      topic,
      simulation
        .records(topic)
        .map(({ key, value, headers }) => JSON.stringify([key?.toString(), value?.toString('latin1'), headers])),
    ]),
  );
}

function mustBeEqual(got: Record<string, string[]>, wanted: Record<string, string[]>): void {
  for (const [name, lines] of Object.entries(wanted)) {
    const other = got[name] ?? [];
    const at = lines.findIndex((line, i) => line !== other[i]);
    if (at >= 0 || other.length !== lines.length)
      throw new Error(
        `${name} differs at ${at}: wanted ${lines.at(at)}, got ${other[at] ?? other.at(-1)} (${lines.length}, ${other.length})`,
      );
  }
}

/** Codecs are made once: building an Avro type costs a millisecond, and each process of each run would ask for five. */
function remembering(codecs: Codecs): Codecs {
  const encoders = new Map<string, Promise<Encode<never>>>();
  const decoders = new Map<Schema, Decode<unknown>>();
  return {
    prepare: codecs.prepare,
    decoderOfField: codecs.decoderOfField,
    encoderOf<Init>(subject: string, schema: Schema) {
      const known = encoders.get(subject) ?? codecs.encoderOf<Init>(subject, schema);
      encoders.set(subject, known);
      // A subject has one schema here, and so one type of value.
      return known as Promise<Encode<Init>>;
    },
    decoderOf<Value>(schema: Schema) {
      const known = decoders.get(schema) ?? codecs.decoderOf<Value>(schema);
      decoders.set(schema, known);
      return known as Decode<Value>;
    },
  };
}
