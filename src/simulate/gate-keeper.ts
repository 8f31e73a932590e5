import { GATE_STATES, type GateState, isClosed } from '../../processors/model/gate.ts';
import { encodeGates } from '../clickhouse/tables/gates.ts';
import type { TopicNames } from '../config/topics.ts';
import type { ControlWriter } from '../lanes/control-writer.ts';
import type { MemoryLog } from './memory-log.ts';
import type { MemoryStore } from './memory-store.ts';
import type { Random } from './random.ts';

/** A change of a gate, and how much was held and ready when its row was written. */
export interface GateChange {
  readonly runId: string;
  readonly state: GateState;
  readonly heldEnd: number;
  readonly readyEnd: number;
}

/** Classes that quarantine some attempts of the workload. */
export const GATE_CLASSES = ['history_rewritten', 'verifier_nondeterministic'] as const;

const OVERTAKES = 0.2;

/** Whoever opens and closes gates: a row first, and some time later the event that lanes obey. */
export interface GateKeeper {
  change(): void;
  /** Whether an event is left to be written. */
  readonly isBehind: boolean;
  /** Writes the oldest event that was not, or a later one: as if who wrote its row hung before its event. */
  say(): Promise<void>;
  /** Opens most gates; some runs stay closed. */
  release(): void;
  readonly history: readonly GateChange[];
}

export function createGateKeeper(
  random: Random,
  runs: readonly string[],
  { log, store, topics, control }: { log: MemoryLog; store: MemoryStore; topics: TopicNames; control: ControlWriter },
  overtakes: boolean,
): GateKeeper {
  const history: GateChange[] = [];
  const unsaid: Array<() => Promise<void>> = [];
  const put = (runId: string, state: GateState): void => {
    const seq = history.length + 1;
    const classes = state === 'quarantine' ? [random.pick(GATE_CLASSES)] : [];
    const at = { windowFromMs: 0, atMs: 0 };
    store.insert(encodeGates([{ run_id: runId, seq, state, by: 'set', classes, why_json: '{}', ...at }]));
    const heldEnd = log.bounds(topics.held, 0).end;
    history.push({ runId, state, heldEnd, readyEnd: log.bounds(topics.ready, 0).end });
    unsaid.push(() => control.gate(runId, { state, classes, seq }, null, `${runId}|${seq}`));
  };
  return {
    history,
    get isBehind() {
      return unsaid.length > 0;
    },
    change: () => put(random.pick(runs), random.pick([...GATE_STATES, 'hold', 'hold', 'open', 'quarantine'])),
    async say() {
      const at = overtakes && random.chance(OVERTAKES) ? Math.floor(random.next() * unsaid.length) : 0;
      await unsaid.splice(at, 1)[0]?.();
    },
    release() {
      for (const runId of runs) {
        const last = history.findLast((change) => change.runId === runId);
        // A run without a row may be in preflight by its policy.
        const isShut = last === undefined || isClosed(last);
        if (isShut && random.chance(0.8)) put(runId, 'open');
      }
    },
  };
}
