import { map } from 'rxjs';
import { afterEach, expect, test, vi } from 'vitest';
import type { GatesByRun } from '../../processors/model/gate.ts';
import { NO_GATES } from '../../processors/model/gate.ts';
import type { LaneState } from '../../processors/model/lane-state.ts';
import type { InsertBatch } from '../../src/clickhouse/port.ts';
import { createSimulateSeed } from '../../src/simulate/simulate-seed.ts';

/** Of gates and of what they hold, too, the simulation can fail: the naive version of each rule is caught. */
const { on, lanes } = vi.hoisted(() => ({
  on: { name: '' },
  /** Gates that a lane was told of since its last cut. */
  lanes: { told: new WeakMap<LaneState, GatesByRun>() },
}));
const is = (name: string): boolean => on.name === name;

vi.mock('../../processors/assemble/fold-control.ts', async (original) => {
  const real = await original<typeof import('../../processors/assemble/fold-control.ts')>();
  const foldControl: typeof real.foldControl = (state, ...rest) => {
    const { gates } = state.inForce;
    if (is('obeys_what_came_late')) {
      // Lanes that do not know which changes they had.
      state.inForce = {
        ...state.inForce,
        gates: new Map([...gates].map(([run, gate]) => [run, { ...gate, seq: 0 }])),
      };
    }
    real.foldControl(state, ...rest);
    if (!is('obeyed_at_the_cut') || state.inForce.gates === gates) return;
    const [runId] = [...state.inForce.gates].find(([run, gate]) => gates.get(run) !== gate) ?? [''];
    const gate = state.inForce.gates.get(runId);
    if (gate !== undefined) lanes.told.set(state, new Map(lanes.told.get(state)).set(runId, gate));
    state.inForce = { ...state.inForce, gates };
  };
  return { ...real, foldControl };
});

vi.mock('../../processors/decide/rule-on.ts', async (original) => {
  const real = await original<typeof import('../../processors/decide/rule-on.ts')>();
  const ruleOn: typeof real.ruleOn = (attempt, facts, policy, rewardOf, classes) =>
    real.ruleOn(attempt, facts, policy, rewardOf, is('quarantine_ignored') ? [] : classes);
  return { ...real, ruleOn };
});

vi.mock('../../processors/cut/cut.ts', async (original) => {
  const real = await original<typeof import('../../processors/cut/cut.ts')>();
  const takeCut: typeof real.takeCut = (state, ...rest) => {
    const told = lanes.told.get(state) ?? NO_GATES;
    if (told.size > 0) state.inForce = { ...state.inForce, gates: new Map([...state.inForce.gates, ...told]) };
    lanes.told.delete(state);
    return real.takeCut(state, ...rest);
  };
  return { ...real, takeCut };
});

vi.mock('../../processors/decode/decode.ts', async (original) => {
  const real = await original<typeof import('../../processors/decode/decode.ts')>();
  const { GATE_STATES } = await import('../../processors/model/gate.ts');
  const createDecode: typeof real.createDecode = (deps) => (batches) =>
    real.createDecode(deps)(
      batches.pipe(
        map((batch) => {
          if (!is('obeyed_before_its_offset')) return batch;
          for (const { value } of batch.records) {
            const outcome = value === null ? null : deps.decodeEvent(value);
            const event = outcome?.kind === 'ok' ? outcome.value : null;
            const gate = event?.control?.gate;
            const state = GATE_STATES.find((one) => one === gate?.state);
            if (!event || !gate || state === undefined) continue;
            const { classes, seq } = gate;
            const gates = new Map(deps.state.inForce.gates).set(event.run_id, { state, classes, seq });
            deps.state.inForce = { ...deps.state.inForce, gates };
          }
          return batch;
        }),
      ),
    );
  return { ...real, createDecode };
});

vi.mock('../../src/lanes/restore.ts', async (original) => {
  const real = await original<typeof import('../../src/lanes/restore.ts')>();
  const restoreLane: typeof real.restoreLane = async (...args) => {
    const restored = await real.restoreLane(...args);
    const { state } = restored;
    if (is('gate_not_restored')) state.inForce = { ...state.inForce, gates: NO_GATES };
    return restored;
  };
  return { ...real, restoreLane };
});

vi.mock('../../src/gate/forward-held.ts', async (original) => {
  const real = await original<typeof import('../../src/gate/forward-held.ts')>();
  const createForwardHeld: typeof real.createForwardHeld = (deps) => {
    const { broker, store } = deps;
    let late: InsertBatch[] = [];
    const insert: typeof store.insert = async (batch) => {
      if (!is('commit_before_insert')) return store.insert(batch);
      late.push({ ...batch, rowBinary: Buffer.from(batch.rowBinary) });
    };
    const transactional: typeof broker.transactional = async (id) => {
      // READ, THEN FENCE is the same as no fence where nobody else is: whoever runs takes the id first.
      const fenced = await broker.transactional(id);
      return {
        close: () => fenced.close(),
        async run(transaction) {
          const producer = is('without_fencing') ? await broker.transactional(id) : fenced;
          await producer.run(transaction);
          for (const batch of late) await store.insert(batch);
          late = [];
        },
      };
    };
    return real.createForwardHeld({ ...deps, broker: { ...broker, transactional }, store: { ...store, insert } });
  };
  return { ...real, createForwardHeld };
});

vi.mock('../../src/gate/look-through-held.ts', async (original) => {
  const real = await original<typeof import('../../src/gate/look-through-held.ts')>();
  const lookThroughHeld: typeof real.lookThroughHeld = (...args) => {
    const { moved, next } = real.lookThroughHeld(...args);
    if (is('newest_first')) return { moved: moved.toReversed(), next };
    // One position for all runs: what waits is passed over.
    if (is('one_position')) return { moved, next: { ...next, waiting: new Map() } };
    return { moved, next };
  };
  return { ...real, lookThroughHeld };
});

vi.mock('../../src/gate/read-movable.ts', async (original) => {
  const real = await original<typeof import('../../src/gate/read-movable.ts')>();
  const readMovable: typeof real.readMovable = async (store, from) => {
    const movable = await real.readMovable(store, from);
    const { mayMoveTo } = movable;
    if (is('forwards_closed_runs')) return { ...movable, mayMoveTo: () => Number.POSITIVE_INFINITY };
    // What was told to be released, and was not moved, is left to its gate.
    if (is('released_is_forgotten'))
      return { ...movable, mayMoveTo: (run) => (mayMoveTo(run) === Number.POSITIVE_INFINITY ? mayMoveTo(run) : -1) };
    return movable;
  };
  return { ...real, readMovable };
});

/** A seed that is known to break it. */
const NAIVE: ReadonlyArray<readonly [name: string, firstSeed: number]> = [
  ['gate_not_restored', 0],
  ['obeyed_at_the_cut', 4],
  ['obeyed_before_its_offset', 4],
  ['obeys_what_came_late', 43],
  ['quarantine_ignored', 17],
  ['commit_before_insert', 0],
  ['without_fencing', 9],
  ['newest_first', 8],
  ['one_position', 0],
  ['forwards_closed_runs', 0],
  ['released_is_forgotten', 10400],
];
/** After a change to the simulation the first seed moves: this far it is looked for. */
const WITHIN = 60;

afterEach(() => {
  on.name = '';
});

test.each(NAIVE)(
  '%s',
  async (name, firstSeed) => {
    on.name = name;
    const simulateSeed = createSimulateSeed();
    for (let seed = firstSeed; seed < firstSeed + WITHIN; seed++) {
      const { failure } = await simulateSeed(String(seed), 6);
      if (failure === null) continue;
      expect(failure).not.toMatch(/TypeError|RangeError/);
      expect(failure).toMatch(/gates/);
      return;
    }
    expect.fail(`${name} is not caught by the seeds ${firstSeed} to ${firstSeed + WITHIN - 1}`);
  },
  600_000,
);
