import type { ReplayedRows } from '../../../processors/model/replay.ts';
import { createLaneHistory } from '../../../processors/replay/create-lane-history.ts';
import { createReplayLane } from '../../../processors/replay/replay-lane.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { visibleRows } from '../../../src/simulate/books.ts';
import { createMemoryRegistry } from '../../../src/simulate/memory-registry.ts';
import { createSimulation, type Simulation, type SimulationConfig } from '../../../src/simulate/simulation.ts';
import { readTableShapes } from '../../../src/simulate/table-shapes.ts';
import { historiesOfStore } from './histories-of-store.ts';
import {
  firstInForce,
  linesOf,
  REPLAYED_TABLES,
  simulatedAudits,
  simulatedDocuments,
  storedRows,
} from './simulated-replay.ts';

const deps = { codecs: createCodecs(createMemoryRegistry()), shapes: readTableShapes() };

/** One live lane through crashes, deadlines, retries, policies, weights and gates; then all of its input once more. */
async function lived(config: Omit<SimulationConfig, 'buildsDiffer'>): Promise<Simulation> {
  const simulation = await createSimulation({ ...config, buildsDiffer: false }, deps);
  await simulation.drain();
  simulation.send(simulation.later);
  await simulation.drain();
  const { input } = simulation.outcome();
  const events = input.filter(({ event }) => event !== null && event.kind !== 'control');
  simulation.leaveGates();
  simulation.crash();
  simulation.send([events.map(({ record: { key, value } }) => ({ key, value }))]);
  await simulation.drain();
  return simulation;
}

/** Every unit replayed from what the store holds of it. */
function replayed(simulation: Simulation, audits: 'anew' | 'stored') {
  const outcome = simulation.outcome();
  const { units, controls } = historiesOfStore(outcome);
  const lane = createReplayLane({
    ...{ topic: 'rollout.steps', partition: 0, replayId: 'again', late: 'ignore', withTokens: true },
    history: createLaneHistory({ controls, initial: firstInForce(outcome.firstPolicyId), override: {} }),
    documents: simulatedDocuments(),
    audits: audits === 'anew' ? simulatedAudits() : null,
    limits: { reorderEvents: simulation.reorderEvents },
  });
  const rows: ReplayedRows[] = [];
  const refused = new Map<string, string>();
  for (const unit of units) {
    const again = lane.replay(unit);
    if (again.kind === 'replayed') rows.push(again.rows);
    else refused.set(unit.unit, again.reason);
  }
  return { rows, refused };
}

export interface Comparison {
  /** What differs, or was refused without a reason to. */
  readonly failures: string[];
  readonly dispositions: Set<unknown>;
}

/** One seed, lived and replayed; what does not hold is added to `comparison`. */
export async function compareSeed(
  config: Omit<SimulationConfig, 'buildsDiffer'>,
  audits: 'anew' | 'stored',
  { failures, dispositions }: Comparison,
): Promise<void> {
  const { seed } = config;
  const simulation = await lived(config);
  const { store } = simulation.outcome();
  const { rows, refused } = replayed(simulation, audits);
  for (const [unit, reason] of refused)
    if (reason !== 'records_lost' || config.forgets !== true) failures.push(`seed ${seed}, ${unit}: ${reason}`);
  const stored = storedRows(rows);
  for (const table of REPLAYED_TABLES) {
    const live = visibleRows(store, table).filter((row) => !refused.has(String(row.unit)));
    if (table === 'decisions') for (const { disposition } of live) dispositions.add(disposition);
    const problem = difference(stored[table], linesOf(live));
    if (problem !== null) failures.push(`seed ${seed}, ${table}: ${problem}`);
  }
}

/** The first row that only one of them has, and what of it differs. */
function difference(got: readonly string[], wanted: readonly string[]): string | null {
  const [gotten, asked] = [new Set(got), new Set(wanted)];
  const missing = wanted.filter((line) => !gotten.has(line));
  const more = got.filter((line) => !asked.has(line));
  if (missing.length + more.length === 0 && got.length === wanted.length) return null;
  const [one, other] = [missing, more].map(([line]) => (line === undefined ? {} : JSON.parse(line)));
  const names = Object.keys({ ...one, ...other }).filter(
    (key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]),
  );
  const differs = names.map((name) => `${name}: ${one[name]} -> ${other[name]}`).join(', ');
  return `${missing.length} missing, ${more.length} more; ${one.unit ?? other.unit} ${differs.slice(0, 600)}`;
}
