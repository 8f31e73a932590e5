import { GATE_STATES, type GateInForce, gateOf, isClosed } from '../../processors/model/gate.ts';
import { documentIdOf } from '../lanes/read-document.ts';
import { isLost, outTopicOf, visibleRows } from './books.ts';
import type { Outcome } from './check-outcome.ts';
import type { Row } from './memory-store.ts';
import { GATED_POLICIES, PREFLIGHT, policyText } from './simulated-documents.ts';

/** Each decision against the gate at the record that closed it: by the event below of the highest number, else by its policy. null: all as it must be. */
export function gateProblem({ store, input }: Outcome): string | null {
  const preflights = new Map(GATED_POLICIES.map((name) => [documentIdOf(policyText(name).text), PREFLIGHT[name]]));
  const audits = visibleRows(store, 'audits');
  for (const decision of visibleRows(store, 'decisions')) {
    if (isLost(decision)) continue;
    const name = `${decision.rollout_id}/${decision.attempt} @${decision.offset}`;
    const gates = new Map<string, GateInForce>();
    for (const { record, event } of input) {
      const gate = event?.control?.gate;
      const state = GATE_STATES.find((one) => one === gate?.state);
      if (!event || !gate || state === undefined || record.offset >= Number(decision.offset)) continue;
      const { classes, seq } = gate;
      if (seq >= (gates.get(event.run_id)?.seq ?? 0)) gates.set(event.run_id, { state, classes, seq });
    }
    const gate = gateOf(gates, String(decision.run_id), { preflight: preflights.get(String(decision.policy_id)) ?? 0 });
    const isReady = outTopicOf(decision) === 'ready';
    if (decision.held !== (isReady && isClosed(gate)))
      return `${name}: held ${decision.held}, the gate is ${gate.state}`;
    const by = /^gate\.(.*)$/.exec(String(decision.rule))?.[1];
    if (by !== undefined && !gate.classes.includes(by))
      return `${name}: quarantined by ${by}, which the gate lets pass`;
    const isSame = (row: Row) =>
      (['run_id', 'rollout_id', 'attempt'] as const).every((key) => row[key] === decision[key]);
    const found = audits.find((row) => isSame(row) && gate.classes.some((one) => one === row.class));
    if (isReady && found !== undefined) return `${name}: passed with ${found.class}, which the gate quarantines`;
  }
  return null;
}
