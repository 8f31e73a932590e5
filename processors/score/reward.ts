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

/** Reward of an attempt: the sum of what its verdicts scored. A component that is missing makes it invalid, not smaller. */
export function rewardOf(attempt: Attempt): Reward {
  const verdicts = attempt.verdicts.filter((verdict) => verdict.boundTo === null);
  const named = new Map<string, number | null>();
  for (const verdict of verdicts)
    for (const [name, value] of Object.entries(verdict.rewards)) named.set(nameOf(named, verdict, name), value);
  // A name may be `__proto__`, which an assignment would lose.
  const components = Object.fromEntries(named);
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
  const values = [...named.values()];
  const reward =
    values.length === 0 || values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  if (reward === null || !Number.isFinite(reward))
    return { verifierStatus: 'scored', verifierFault: 'reward_missing', reward: null, rewardValid: false, components };
  return { verifierStatus: 'scored', verifierFault: null, reward, rewardValid: true, components };
}

/** Two scorers may use one name: the second is told apart by its scorer. */
function nameOf(
  named: ReadonlyMap<string, number | null>,
  { scorer, scorerVersion }: HeldVerdict,
  name: string,
): string {
  if (!named.has(name)) return name;
  const long = `${scorer}/${name}`;
  return named.has(long) ? `${scorer}@${scorerVersion}/${name}` : long;
}
