/** What a change of a gate says of itself: limits that tripped, in words, or the reason that a person gave; empty: nothing. */
export function gateWhy(why: unknown): string[] {
  if (typeof why !== 'object' || why === null) return [];
  if ('reason' in why && typeof why.reason === 'string') return [why.reason];
  if (!('tripped' in why) || !Array.isArray(why.tripped)) return [];
  return why.tripped.flatMap((one: unknown) => (isTripped(one) ? [trippedText(one)] : []));
}

interface TrippedFacts {
  readonly limit: string;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  readonly bound: string;
  readonly bound_at: number;
}

function isTripped(value: unknown): value is TrippedFacts {
  return typeof value === 'object' && value !== null && 'limit' in value && 'rate' in value && value.rate !== null;
}

function trippedText({ limit, rate, low, high, bound, bound_at }: TrippedFacts): string {
  const most = bound === 'max' ? 'at most' : 'at least';
  return `${limit} is ${rateText(rate)} (95 %: ${rateText(low)} to ${rateText(high)}), ${most} ${rateText(bound_at)} is allowed`;
}

/** Four digits are more than any window has. */
export function rateText(value: number): string {
  return String(Number(Number(value).toPrecision(4)));
}
