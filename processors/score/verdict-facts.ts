import type { HeldVerdict } from '../model/attempt.ts';
import { countingVerdicts } from '../model/counting-verdicts.ts';

/** What the verifiers of the whole attempt said, or that they did not. */
export interface VerdictFacts {
  /** Status of the verdict that counted; none: there is none. */
  readonly verifierStatus: string;
  /** Code of a verifier that failed; null: none did. */
  readonly verifierFault: string | null;
}

const FAULTS: Readonly<Record<string, string>> = {
  timeout: 'verifier_timeout',
  missing: 'reward_missing',
  crash: 'verifier_error',
  parse_error: 'verifier_error',
  refused: 'verifier_error',
  unknown: 'verifier_error',
};

const NO_VERDICT: VerdictFacts = { verifierStatus: 'none', verifierFault: null };

/** One that failed outweighs one that scored: what it would have said is not known. */
export function verdictFactsOf(verdicts: readonly HeldVerdict[]): VerdictFacts {
  let best = NO_VERDICT;
  for (const { boundTo, status } of countingVerdicts(verdicts)) {
    if (boundTo !== null) continue;
    const fault = FAULTS[status];
    if (fault !== undefined) return { verifierStatus: status, verifierFault: fault };
    if (status === 'scored' || best === NO_VERDICT) best = { verifierStatus: status, verifierFault: null };
  }
  return best;
}
