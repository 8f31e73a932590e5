import type { HeldVerdict } from '../../model/attempt.ts';
import type { RewardRule } from '../../model/policy.ts';
import { addPart, type Parts } from './parts.ts';

/**
 * Rewards bound to turns, summed into one component by the weights of their names. One that is missing, or whose verifier
 * failed, is missing from the sum. Without a verdict about any turn there is no component.
 */
export function addTurns(parts: Parts, verdicts: readonly HeldVerdict[], rule: RewardRule): void {
  if (rule.turns !== 'sum') return;
  let sum: number | null = null;
  let missing: string | null = null;
  for (const { boundTo, status, rewards } of verdicts) {
    if (boundTo === null || status === 'not_run') continue;
    sum ??= 0;
    if (status !== 'scored') missing ??= `turns: turn ${boundTo} ${status}`;
    else
      for (const [name, value] of Object.entries(rewards)) {
        const weight = rule.weights.get(name) ?? rule.otherWeight;
        if (value !== null) sum += value * weight;
        else if (weight !== 0) missing ??= `turns: turn ${boundTo} ${name} missing`;
      }
  }
  if (sum === null) return;
  if (missing === null) addPart(parts, 'turns', sum);
  else {
    parts.byName.set('turns', null);
    parts.invalid.push(missing);
  }
}
