import type { Attempt, HeldVerdict } from '../model/attempt.ts';

export interface Reward {
  /** Status of the verdict that counted; none: there is no verdict of the whole attempt. */
  readonly verifierStatus: string;
  /** Code of what the verifier did not say; null: it answered, or did not run by design, or is still awaited. */
  readonly verifierFault: string | null;
  /** Sum of the components; null: no score. Null is not 0. */
  readonly reward: number | null;
  readonly rewardValid: boolean;
  readonly components: Readonly<Record<string, number | null>>;
}

const FAULTS: Readonly<Record<string, string>> = {
  timeout: 'verifier_timeout',
  missing: 'reward_missing',
  crash: 'verifier_error',
  parse_error: 'verifier_error',
  refused: 'verifier_error',
  unknown: 'verifier_error',
};

/** Reward of an attempt: the sum of what its verdicts scored. A component that is missing or not finite makes it invalid, not smaller. */
export function rewardOf(attempt: Attempt): Reward {
  const verdicts = attempt.verdicts.filter((verdict) => verdict.boundTo === null);
  const components: Record<string, number | null> = {};
  for (const verdict of verdicts)
    for (const [name, value] of Object.entries(verdict.rewards))
      components[nameOf(components, verdict, name)] = finiteOrNull(value);
  const failed = verdicts.find(({ status }) => FAULTS[status] !== undefined);
  if (failed !== undefined)
    return {
      verifierStatus: failed.status,
      verifierFault: FAULTS[failed.status] ?? null,
      reward: null,
      rewardValid: false,
      components,
    };
  const scored = verdicts.filter(({ status }) => status === 'scored');
  if (scored.length === 0)
    return {
      verifierStatus: verdicts[0]?.status ?? 'none',
      verifierFault: null,
      reward: null,
      rewardValid: false,
      components,
    };
  const values = Object.values(components);
  const reward =
    values.length === 0 || values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  if (reward === null || !Number.isFinite(reward))
    return { verifierStatus: 'scored', verifierFault: 'reward_missing', reward: null, rewardValid: false, components };
  return { verifierStatus: 'scored', verifierFault: null, reward, rewardValid: true, components };
}

/** Two scorers may use one name: the second is told apart by its scorer. */
function nameOf(
  components: Readonly<Record<string, number | null>>,
  { scorer, scorerVersion }: HeldVerdict,
  name: string,
): string {
  if (!Object.hasOwn(components, name)) return name;
  const long = `${scorer}/${name}`;
  return Object.hasOwn(components, long) ? `${scorer}@${scorerVersion}/${name}` : long;
}

function finiteOrNull(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Reward bound to one model call: the sum of what verdicts of that turn scored; null without one. */
export function turnRewardOf(attempt: Attempt, turn: number): number | null {
  let sum: number | null = null;
  for (const { boundTo, status, rewards } of attempt.verdicts) {
    if (boundTo !== turn || status !== 'scored') continue;
    for (const value of Object.values(rewards)) {
      const finite = finiteOrNull(value);
      if (finite === null) return null;
      sum = (sum ?? 0) + finite;
    }
  }
  return sum;
}
