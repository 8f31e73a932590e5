import { gateOf, isClosed, NO_GATES } from '../../../processors/model/gate.ts';
import type { Policy } from '../../../processors/model/policy.ts';
import type { Store } from '../../clickhouse/port.ts';
import { RollstreamError } from '../../errors.ts';
import { gateRuleOf } from '../../gate/gate-rule-of.ts';
import { readLastGates } from '../../gate/last-gates.ts';
import type { PlannedRun } from './read-plan.ts';

/**
 * RS_GATE_CLOSED where the gate of the run is closed, as its last row has it or, where it has none, as the policy implies: what a
 * lane would hold, a replay does not emit past it.
 */
export async function refuseClosedGate(
  store: Pick<Store, 'query'>,
  policyNow: () => Promise<Policy>,
  { runId, envs }: Pick<PlannedRun, 'runId' | 'envs'>,
): Promise<void> {
  const row = (await readLastGates(store)).get(runId);
  const { state } = row ?? gateOf(NO_GATES, runId, gateRuleOf(await policyNow(), runId, envs));
  if (!isClosed({ state })) return;
  throw new RollstreamError(
    'RS_GATE_CLOSED',
    `the gate of run ${runId} is closed (${state}): nothing of it is emitted until it is released`,
    { facts: { run: runId, state } },
  );
}
