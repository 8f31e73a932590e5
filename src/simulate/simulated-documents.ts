import type { Taxonomy } from '../../processors/model/taxonomy.ts';
import type { DocumentShelf } from '../lanes/documents.ts';
import type { DocumentText } from '../lanes/read-document.ts';

/** Names of the policies that a simulated process may be configured with: they differ in retries and in what trains. */
export const POLICIES = ['P0', 'P1', 'P2'] as const;
/** Where gates move, most must come as far as a gate; G1 begins each run in preflight. */
export const GATED_POLICIES = ['G0', 'G1', 'P1'] as const;
export type PolicyName = (typeof POLICIES)[number] | (typeof GATED_POLICIES)[number];

const RETRIES: Readonly<Record<PolicyName, number>> = { P0: 1, P1: 0, P2: 2, G0: 1, G1: 1 };
/** First trajectories of each run that are held. */
export const PREFLIGHT: Readonly<Record<PolicyName, number>> = { P0: 0, P1: 0, P2: 0, G0: 0, G1: 2 };

const STALENESS: Readonly<Record<PolicyName, string>> = {
  P0: '{ max_lag: 2, over: drop, unknown: keep }',
  P1: '{ max_lag: 1, over: mask_tokens, unknown: mask_rollout }',
  P2: '{ max_lag: 3, over: mask_rollout, unknown: drop }',
  G0: '{ max_lag: 2, over: mask_tokens, unknown: keep }',
  G1: '{ max_lag: 3, over: mask_rollout, unknown: keep }',
};

export function policyText(name: PolicyName): DocumentText {
  const text = `format: rollstream-policy/1
name: ${name}
retries: ${RETRIES[name]}
categories:
  completion: { disposition: train, awaits_verdict: true, unscored: null }
  budget: { disposition: ${name === 'P1' ? 'penalise' : 'train_masked'}, awaits_verdict: true, unscored: 0 }
  env_fault: { disposition: retry, awaits_verdict: false, unscored: null }
  infra_fault: { disposition: retry, awaits_verdict: false, unscored: null }
  harness_fault: { disposition: drop, awaits_verdict: false, unscored: null }
codes: {}
group: { min_valid: 1, baseline: ${name === 'P2' ? 'mean' : 'grpo'}, divide_by_std: false, ddof: 1, eps: 1.0e-6 }
`;
  const gate = PREFLIGHT[name] === 0 ? '' : `gate: { preflight: ${PREFLIGHT[name]} }\n`;
  return { text: `${text}staleness: ${STALENESS[name]}\n${gate}`, where: `policy ${name}` };
}

export const TAXONOMY: DocumentText = {
  text: `format: rollstream-taxonomy/1
version: simulation
precedence: [cancelled, infra_fault, env_fault, harness_fault, unknown, budget, policy_failure, completion]
codes:
  task_complete: { category: completion, raw: { simulation: [ok, odd] } }
  output_tokens: { category: budget, raw: { simulation: [long] } }
  env_error: { category: env_fault, raw: { simulation: [fault] } }
  worker_lost: { category: infra_fault, raw: { rollstream: [source_ended, idle, lifetime] } }
  missing_step: { category: infra_fault, raw: { rollstream: [gap, reorder_overflow] } }
  corrupt_record: { category: harness_fault, raw: { rollstream: [prefix_beyond_held, logprob_invalid] } }
  superseded: { category: cancelled, raw: { rollstream: [higher_attempt] } }
finish_reasons: { complete: [stop], cut: [length], aborted: [abort] }
`,
  where: 'taxonomy',
};

/**
 * What another build of the program would make of the same documents: an odd one takes the end `odd` for a fault of the
 * environment. Two builds that judge alike would hide whatever is decided twice.
 */
export function judgedByBuild(shelf: DocumentShelf, build: number): DocumentShelf {
  if (build % 2 === 0) return shelf;
  const judged = new Map<string, Taxonomy>();
  return {
    ...shelf,
    taxonomyOf(id) {
      const known = judged.get(id);
      if (known !== undefined) return known;
      const taxonomy = shelf.taxonomyOf(id);
      const isOdd = (system: string, raw: string) => system === 'simulation' && raw === 'odd';
      const codesOf: Taxonomy['codesOf'] = (system, raw) =>
        isOdd(system, raw) ? ['env_error'] : taxonomy.codesOf(system, raw);
      const other = { ...taxonomy, codesOf };
      judged.set(id, other);
      return other;
    },
  };
}
