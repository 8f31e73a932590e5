import { strictestRule } from '../../processors/gate/strictest-rule.ts';
import type { GateRule } from '../../processors/model/gate.ts';
import type { Policy } from '../../processors/model/policy.ts';

/** The gate of a run over the environments that it was seen in. */
export function gateRuleOf(policy: Pick<Policy, 'scopeOf'>, runId: string, envs: Iterable<string>): GateRule {
  const [first = '', ...others] = envs;
  return strictestRule([policy.scopeOf(runId, first).gate, ...others.map((env) => policy.scopeOf(runId, env).gate)]);
}
