/** Digits that are read into each of the two halves of a number's digits: such a half is a 32-bit integer. */
export const HALF_DIGITS = 9;

/** Powers of ten as the sum of two doubles, exact to 106 bits; the greater one also cut into halves whose products are exact. */
const POWERS = 45;
const great = new Float64Array(POWERS);
const small = new Float64Array(POWERS);
const upper = new Float64Array(POWERS);
const lower = new Float64Array(POWERS);
const SPLIT = 2 ** 27 + 1;
for (let k = 0; k < POWERS; k++) {
  const exact = 10n ** BigInt(k);
  const nearest = Number(exact);
  const scaled = SPLIT * nearest;
  great[k] = nearest;
  small[k] = Number(exact - BigInt(nearest));
  upper[k] = scaled - (scaled - nearest);
  lower[k] = nearest - (upper[k] ?? 0);
}

/**
 * Writes the double nearest to `(a · 10^digits + b) / 10^places`, as a parser of JSON reads it; NaN where this cannot tell. `a`
 * and `b` have at most nine digits, `digits` those of `b`. The quotient is taken to some 100 bits; it is not told where those lie
 * so near the middle between two doubles that more of them would be needed. Written and not returned: a double that a function
 * returns is an object.
 */
export function writeNearest(
  out: Float64Array,
  at: number,
  a: number,
  b: number,
  digits: number,
  places: number,
): void {
  if (places >= POWERS) {
    out[at] = Number.NaN;
    return;
  }
  const divisor = great[places] ?? 1;
  // Both are exact: the quotient is rounded once.
  if (digits === 0 && places <= EXACT_POWER) {
    out[at] = a / divisor;
    return;
  }
  const power = great[digits] ?? 1;
  // The digits as the exact sum of two doubles.
  const s = (a >> 15) * power * 32_768;
  const t = (a & 32_767) * power + b;
  const high = s + t;
  const rounded = high - s;
  const low = s - (high - rounded) + (t - rounded);
  const first = high / divisor;
  const product = first * divisor;
  const scaled = SPLIT * first;
  const firstUpper = scaled - (scaled - first);
  const firstLower = first - firstUpper;
  const u = upper[places] ?? 0;
  const l = lower[places] ?? 0;
  const missing = firstUpper * u - product + firstUpper * l + firstLower * u + firstLower * l;
  const second = (high - product - missing + (low - first * (small[places] ?? 0))) / divisor;
  const sum = first + second;
  const rest = second - (sum - first);
  out[at] = sum + rest * NEARLY_ONE === sum ? sum : Number.NaN;
}

/** 10^22 is the greatest power of ten that a double holds. */
const EXACT_POWER = 22;
/** Farther from 1 than what the 100 bits can be wrong by, relative to half a unit of the last place. */
const NEARLY_ONE = 1 + 2 ** -30;
