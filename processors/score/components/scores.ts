import type { HeldVerdict } from '../../model/attempt.ts';
import type { RewardRule } from '../../model/policy.ts';
import { addPart, type Parts } from './parts.ts';

/** Names of what the pipeline itself adds: a verifier's component of that name is told apart by its scorer. */
const OWN = new Set([
  'penalty',
  'unscored',
  'soft_overlong',
  'malformed_call',
  'repaired_call',
  'turns',
  'scale',
  'clip',
]);

export interface Scores {
  /** Verdicts of the whole attempt that count and scored. */
  readonly scored: readonly HeldVerdict[];
  /** Components that must be there; null: each that a verdict names. */
  readonly required: readonly string[] | null;
  /** A verifier did not run by design, and the policy has a reward for that: what it would have said is not missing. */
  readonly mayLack: boolean;
}

/** What the verifiers scored, by weight. A component that counts and is null is missing, not 0; one of weight 0 is kept as 0. */
export function addScores(parts: Parts, { scored, required, mayLack }: Scores, rule: RewardRule): void {
  for (const verdict of scored)
    for (const [name, value] of Object.entries(verdict.rewards)) {
      const shown = nameOf(parts, verdict, name);
      const weight = weightOf(rule, shown, name);
      if (value !== null) {
        addPart(parts, shown, value * weight);
        continue;
      }
      parts.byName.set(shown, null);
      const isNotFinite = verdict.notFinite.includes(name);
      const isRequired = required === null ? weight !== 0 : required.includes(name) || required.includes(shown);
      if (isRequired || (isNotFinite && weight !== 0))
        parts.invalid.push(`${shown}: ${isNotFinite ? 'not finite' : 'missing'}`);
    }
  if (required === null || mayLack) return;
  for (const name of required)
    if (!parts.byName.has(name) && !scored.some(({ rewards }) => Object.hasOwn(rewards, name)))
      parts.invalid.push(`${name}: missing`);
}

/** Two scorers may use one name: the second is told apart by its scorer. */
function nameOf({ byName }: Parts, { scorer, scorerVersion }: HeldVerdict, name: string): string {
  if (!OWN.has(name) && !byName.has(name)) return name;
  const long = `${scorer}/${name}`;
  return byName.has(long) ? `${scorer}@${scorerVersion}/${name}` : long;
}

function weightOf({ weights, otherWeight }: RewardRule, shown: string, name: string): number {
  if (weights.size === 0) return otherWeight;
  return weights.get(shown) ?? weights.get(name) ?? otherWeight;
}
