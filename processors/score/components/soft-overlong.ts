import type { RewardRule } from '../../model/policy.ts';
import { addPart, type Parts } from './parts.ts';

export const LENGTH_MISSING = 'soft_overlong: missing';

/**
 * DAPO (arXiv:2503.14476), eq. 13, times `penalty`, over the y sampled tokens of the rollout: 0 while y ≤ max − buffer;
 * ((max − buffer) − y) / buffer while y ≤ max; −1 above.
 */
export function addSoftOverlong(parts: Parts, rule: RewardRule['softOverlong'], sampledTokens: number | null): void {
  if (rule === null) return;
  if (sampledTokens === null) {
    parts.byName.set('soft_overlong', null);
    parts.invalid.push(LENGTH_MISSING);
    return;
  }
  const { maxTokens, bufferTokens, penalty } = rule;
  const over = sampledTokens - (maxTokens - bufferTokens);
  const share = over <= 0 ? 0 : sampledTokens > maxTokens ? 1 : over / bufferTokens;
  addPart(parts, 'soft_overlong', -share * penalty);
}
