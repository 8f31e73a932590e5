import { judgeWindow } from '../../processors/gate/judge-window.ts';
import { type CurrentGate, nextGate, ruleInState } from '../../processors/gate/next-gate.ts';
import { type GateRule, type GateState, gateOf, NO_GATES } from '../../processors/model/gate.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { Store } from '../clickhouse/port.ts';
import type { GateRow } from '../clickhouse/tables/gates.ts';
import type { ChangeGate } from './change-gate.ts';
import { gateRuleOf } from './gate-rule-of.ts';
import { readLastGates } from './last-gates.ts';
import { readWindowCounts } from './window-counts.ts';

export interface LookDeps {
  readonly store: Pick<Store, 'query'>;
  readonly gates: ChangeGate;
  /** What decides now. */
  readonly policy: () => Promise<Policy>;
  /** Name of rollout.steps. */
  readonly topic: string;
  /** How many runs are in each state, of those that a gate was ever changed of. */
  readonly counted: (runs: ReadonlyMap<GateState, number>) => void;
}

/** One look at all runs that have moved since the last one. The first look of its maker is at every run. */
export type LookAtGates = () => Promise<void>;

/** What comes later than a decision (deferred audits, reports of a trainer) is seen for so many looks after it. */
const LOOKS_AFTER = 12;
const RUNS_A_QUERY = 200;
/** A process that died between row and events wrote no row after it: what lacks its events is among the newest. */
const MOST_UNSURE = 256;

interface Looked {
  readonly envs: Set<string>;
  /** Looks that are left. */
  left: number;
}

/** The evaluator, as of its owner's first look: another owner makes its own, which trusts nothing but the store. */
export function createLookAtGates({ store, gates, policy, topic, counted }: LookDeps): LookAtGates {
  /** By run: the last change whose events are known to be written. */
  const told = new Map<string, string>();
  const runs = new Map<string, Looked>();
  /** By partition; null: before the first look. */
  let frontiers: ReadonlyMap<number, number> | null = null;

  const repeatUntold = async (last: ReadonlyMap<string, GateRow>): Promise<string[]> => {
    const untold = [...last.values()].filter((row) => told.get(row.run_id) !== nameOf(row));
    const isFirst = frontiers === null;
    const unsure = isFirst ? untold.sort((a, b) => b.atMs - a.atMs).slice(0, MOST_UNSURE) : untold;
    for (const { run_id } of unsure) await gates.repeat(run_id);
    for (const row of untold) told.set(row.run_id, nameOf(row));
    return unsure.map(({ run_id }) => run_id);
  };

  const judge = async (rules: ReadonlyMap<string, GateRule>, last: ReadonlyMap<string, GateRow>): Promise<void> => {
    for (const [window, ofWindow] of byWindow(rules)) {
      for (let at = 0; at < ofWindow.length; at += RUNS_A_QUERY) {
        const asked = ofWindow.slice(at, at + RUNS_A_QUERY).map(([runId, rule]) => ({
          ...{ runId, limits: rule.limits.keys(), fromMs: last.get(runId)?.windowFromMs ?? 0, rule },
        }));
        const counts = await readWindowCounts(store, asked, window);
        for (const { runId, rule } of asked) {
          const found = counts.get(runId);
          if (found === undefined) continue;
          const seen = last.get(runId) ?? null;
          const verdict = judgeWindow(found, rule, { census: false });
          const next = nextGate(currentOf(seen, runId, rule), verdict, rule);
          if (next === null) continue;
          const { trajectories, tripped } = verdict;
          const why = { verdict: verdict.verdict, trajectories, tripped };
          // What a person did since it was read is not undone.
          const row = await gates.change(runId, (now) =>
            now?.seq === seen?.seq ? { ...next, by: 'evaluator', why, windowFromMs: null } : null,
          );
          if (row !== null) told.set(runId, nameOf(row));
        }
      }
    }
  };

  return async function lookAtGates() {
    const lanes = await store.query<{ partition: number; frontier: number }>(
      'SELECT partition, frontier FROM rollstream.lanes FINAL WHERE topic = {topic:String}',
      { topic },
    );
    const reached = new Map(lanes.map(({ partition, frontier }) => [partition, frontier] as const));
    const last = await readLastGates(store);
    for (const runId of await repeatUntold(last)) lookedOf(runs, runId).left = LOOKS_AFTER;
    for (const { run_id, env_name } of await movedRuns(store, topic, reached, frontiers)) {
      const looked = lookedOf(runs, run_id);
      looked.envs.add(env_name);
      looked.left = LOOKS_AFTER;
    }
    const decides = await policy();
    const rules = new Map<string, GateRule>();
    for (const [runId, { envs, left }] of runs) {
      if (left <= 0) continue;
      const rule = gateRuleOf(decides, runId, envs);
      const current = currentOf(last.get(runId) ?? null, runId, rule);
      if (isJudged(current)) rules.set(runId, ruleInState(rule, current));
    }
    await judge(rules, last);
    for (const looked of runs.values()) looked.left -= 1;
    frontiers = reached;
    counted(countStates(await readLastGates(store)));
  };
}

/** A hold, and what a person set, does not depend on any window. */
function isJudged({ state, by }: CurrentGate): boolean {
  return state !== 'hold' && (by !== 'set' || state === 'preflight');
}

function currentOf(last: GateRow | null, runId: string, rule: GateRule): CurrentGate {
  return last ?? { ...gateOf(NO_GATES, runId, rule), by: null };
}

function nameOf({ seq, atMs }: GateRow): string {
  return `${seq}|${atMs}`;
}

function lookedOf(runs: Map<string, Looked>, runId: string): Looked {
  const known = runs.get(runId) ?? { envs: new Set<string>(), left: 0 };
  runs.set(runId, known);
  return known;
}

function byWindow(rules: ReadonlyMap<string, GateRule>): Map<number, Array<[string, GateRule]>> {
  const windows = new Map<number, Array<[string, GateRule]>>();
  for (const [runId, rule] of rules) {
    const others = windows.get(rule.window);
    if (others === undefined) windows.set(rule.window, [[runId, rule]]);
    else others.push([runId, rule]);
  }
  return windows;
}

function countStates(last: ReadonlyMap<string, GateRow>): Map<GateState, number> {
  const counts = new Map<GateState, number>();
  for (const { state } of last.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/**
 * Runs with decisions that no look has seen: by offset, since a lane that catches up decides what was appended long ago. The
 * first look asks for all; one at a pipeline where nothing moves asks for nothing.
 */
async function movedRuns(
  store: Pick<Store, 'query'>,
  topic: string,
  reached: ReadonlyMap<number, number>,
  before: ReadonlyMap<number, number> | null,
): Promise<ReadonlyArray<{ readonly run_id: string; readonly env_name: string }>> {
  const moved = [...reached].filter(([partition, frontier]) => frontier > (before?.get(partition) ?? 0));
  if (moved.length === 0) return [];
  return store.query(
    `SELECT DISTINCT run_id, env_name FROM rollstream.decisions
     WHERE topic = {topic:String} AND replay_id = ''
       AND offset >= transform(partition, {partitions:Array(Int32)}, {froms:Array(Int64)}, toInt64(9223372036854775807))`,
    {
      topic,
      partitions: moved.map(([partition]) => partition),
      froms: moved.map(([partition]) => before?.get(partition) ?? 0),
    },
  );
}
