import { type GateState, gateOf, NO_GATES } from '../../processors/model/gate.ts';
import type { Policy } from '../../processors/model/policy.ts';
import type { Store } from '../clickhouse/port.ts';
import type { GateRow } from '../clickhouse/tables/gates.ts';
import { RollstreamError } from '../errors.ts';
import type { ChangeGate, NewGate } from './change-gate.ts';
import { gateRuleOf } from './gate-rule-of.ts';
import { readHeld } from './held-by-run.ts';
import { readKnownRuns, refuseUnknownRun } from './known-runs.ts';

/** What a person wants of the gate of a run. */
export type GateWish =
  | { readonly wish: 'release'; readonly reason: string | null }
  | {
      readonly wish: 'set';
      readonly state: GateState;
      /** Finding classes: needed by quarantine alone. */
      readonly classes: readonly string[];
      readonly reason: string | null;
    };

export interface GateChanged {
  readonly run_id: string;
  readonly state: GateState;
  readonly classes: readonly string[];
  readonly before: GateState;
  /** false: it was so before, and nothing was written. */
  readonly changed: boolean;
}

export interface SetGateDeps {
  readonly store: Pick<Store, 'query'>;
  readonly gates: ChangeGate;
  /** What decides now. */
  readonly policy: () => Promise<Policy>;
  /** ms since the epoch. */
  readonly now: () => number;
}

export type SetGate = (runId: string, wish: GateWish) => Promise<GateChanged>;

const CLASS = /^[a-z][a-z0-9_]{0,63}$/;
const MOST_CLASSES = 64;

/** A person opens a gate, or sets it: what is set stays until it is released. */
export function createSetGate({ store, gates, policy, now }: SetGateDeps): SetGate {
  return async function setGate(runId, wish) {
    if (wish.wish === 'set') checkClasses(wish.state, wish.classes);
    const known = await readKnownRuns(store);
    const envs = known.get(runId);
    if (envs === undefined) throw refuseUnknownRun(runId, known.keys());
    const implied = gateOf(NO_GATES, runId, gateRuleOf(await policy(), runId, envs));
    const isHolding = (await readHeld(store, runId)).has(runId);
    let before = implied.state;
    const row = await gates.change(runId, (last) => {
      before = last?.state ?? implied.state;
      return wish.wish === 'release'
        ? released(last, before, isHolding, wish.reason, now())
        : wanted(last, wish, now());
    });
    const { state, classes } = row ?? { state: before, classes: wish.wish === 'set' ? wish.classes : [] };
    return { run_id: runId, state, classes, before, changed: row !== null };
  };
}

/**
 * A release begins a new window, or what tripped the gate would trip it again at the next look. What a preflight holds is
 * released, too, when the policy has meanwhile ceased to want one.
 */
function released(
  last: GateRow | null,
  before: GateState,
  isHolding: boolean,
  reason: string | null,
  nowMs: number,
): NewGate | null {
  if (before === 'open' && last?.by !== 'set' && !(last === null && isHolding)) return null;
  return { state: 'open', classes: [], by: 'release', why: { reason }, windowFromMs: nowMs };
}

function wanted(
  last: GateRow | null,
  { state, classes, reason }: Extract<GateWish, { wish: 'set' }>,
  nowMs: number,
): NewGate | null {
  const isSame = last?.state === state && last.by === 'set' && last.classes.join() === classes.join();
  if (isSame) return null;
  // What closes the gate again to look at what comes does not look at what came before.
  const windowFromMs = state === 'preflight' ? nowMs : null;
  return { state, classes, by: 'set', why: { reason }, windowFromMs };
}

function checkClasses(state: GateState, classes: readonly string[]): void {
  const isWrong = (why: string) => new RollstreamError('RS_USAGE', `classes: ${why}`, { facts: { field: 'classes' } });
  if (state !== 'quarantine' && classes.length > 0) throw isWrong('only quarantine takes classes of findings');
  if (state !== 'quarantine') return;
  if (classes.length === 0) throw isWrong('quarantine needs the classes of findings that it keeps back');
  if (classes.length > MOST_CLASSES) throw isWrong(`at most ${MOST_CLASSES}`);
  const wrong = classes.find((name) => !CLASS.test(name));
  if (wrong !== undefined) throw isWrong(`${wrong} is not a class of findings, such as silent_repair`);
}
