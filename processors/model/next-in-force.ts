import type { Control, GateState as GateEvent } from '../../schemas/generated/step-event.ts';
import type { InForce } from './control.ts';
import { GATE_STATES, type GateInForce } from './gate.ts';
import { withVersion } from './weights.ts';

/** What is in force once a control event is folded; the same object when it says nothing new. Each value by itself: the others stay as they are. */
export function nextInForce(inForce: InForce, runId: string, { policy, weights, gate }: Control): InForce {
  let next = inForce;
  if (policy !== null) next = { ...next, policy_id: policy.policy_id, taxonomy_id: policy.taxonomy_id };
  const announced = weights === null ? next.weights : withVersion(next.weights, runId, weights);
  if (announced !== next.weights) next = { ...next, weights: announced };
  const changed = gate === null ? null : gateInForce(gate);
  if (changed !== null && !isStale(changed, next.gates.get(runId)))
    next = { ...next, gates: new Map(next.gates).set(runId, changed) };
  return next;
}

/**
 * A CHANGE THAT CAME LATE IS VOID. 1 an evaluator writes row 4, hold, and hangs before its event; 2 a person releases: row 5, its
 * event @9; 3 the event of row 4 arrives @10: lanes would hold what the books and the forwarder have open.
 */
function isStale({ seq }: GateInForce, inForce: GateInForce | undefined): boolean {
  return seq < (inForce?.seq ?? 0);
}

/** null: a state that a newer build knows. The one in force stays: to open or to close would be a guess. */
function gateInForce({ state, classes, seq }: GateEvent): GateInForce | null {
  const known = GATE_STATES.find((name) => name === state);
  return known === undefined ? null : { state: known, classes, seq };
}
