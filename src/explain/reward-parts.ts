import type { RewardRule } from '../../processors/model/policy.ts';
import type { DecisionJson, RewardPart, VerdictJson } from '../access/explanation.ts';

export interface RewardContext {
  readonly decision: DecisionJson;
  readonly verdicts: readonly VerdictJson[];
  readonly calls: { readonly malformed: number; readonly repaired: number };
  /** The rule that it was summed by; null: the store does not hold the policy. */
  readonly reward: RewardRule | null;
}

/** What each part of a reward comes from. */
export function rewardParts(
  components: Readonly<Record<string, number | null>>,
  context: RewardContext,
): readonly RewardPart[] {
  return Object.entries(components).map(([name, value]) => ({
    name,
    value,
    from: verifierOf(name, context) ?? ownOf(name, context),
  }));
}

/** A component of a verifier is named as the verifier names it, or by its scorer where two would be called alike. */
function verifierOf(name: string, { verdicts, reward }: RewardContext): string | null {
  for (const { scorer, scorer_version: version, status, rewards, standing, bound_to } of verdicts) {
    if (standing !== 'counts' || status !== 'scored' || bound_to !== null) continue;
    for (const [said, score] of Object.entries(rewards)) {
      const isOwn = OWN.has(said);
      if (!(name === said && !isOwn) && name !== `${scorer}/${said}` && name !== `${scorer}@${version}/${said}`)
        continue;
      const by = `verifier ${scorer}${version === '' ? '' : ` ${version}`}`;
      if (score === null) return `${by}, which gave no number`;
      const weight = weightOf(name, said, reward);
      return weight === 1 ? by : `${by}: its ${score} × weight ${weight}`;
    }
  }
  return null;
}

function weightOf(name: string, said: string, rule: RewardRule | null): number {
  if (rule === null) return 1;
  if (rule.weights.size === 0) return rule.otherWeight;
  return rule.weights.get(name) ?? rule.weights.get(said) ?? rule.otherWeight;
}

const OWN: ReadonlySet<string> = new Set([
  ...['penalty', 'unscored', 'soft_overlong', 'malformed_call', 'repaired_call', 'turns', 'scale', 'clip'],
]);

/** What the pipeline itself adds, by the policy. */
function ownOf(name: string, { decision, verdicts, calls, reward }: RewardContext): string {
  switch (name) {
    case 'unscored':
      return `the policy's reward where no verifier ran, for ${decision.reason_code}`;
    case 'penalty':
      return `the policy's penalty for ${decision.reason_code}`;
    case 'soft_overlong':
      return reward?.softOverlong == null
        ? 'the length of what was sampled'
        : `${decision.n_sampled_tokens} sampled tokens: 0 up to ${reward.softOverlong.maxTokens - reward.softOverlong.bufferTokens}, −${reward.softOverlong.penalty} from ${reward.softOverlong.maxTokens}`;
    case 'malformed_call':
      return `${calls.malformed} tool calls that could not be read${reward === null ? '' : `, ${reward.malformedCall} each`}`;
    case 'repaired_call':
      return `${calls.repaired} tool calls that were repaired${reward === null ? '' : `, ${reward.repairedCall} each`}`;
    case 'turns':
      return `${verdicts.filter(({ bound_to }) => bound_to !== null).length} verdicts about single turns`;
    case 'scale':
      return `what × ${reward?.scale ?? 'scale'} changed`;
    case 'clip':
      return reward?.clip == null
        ? 'what the clip changed'
        : `what the clip to ${reward.clip.min} … ${reward.clip.max} changed`;
    default:
      return 'a component that no verdict names';
  }
}
