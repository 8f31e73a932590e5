/** Two-sided 95 % of the normal distribution. */
export const Z_95 = 1.959963984540054;

/** 95 % of a share (Wilson, 1927). Exact at the ends, so that no hit is never above a limit of 0, nor all below one of 1. */
export function wilsonInterval(hits: number, n: number): { readonly low: number; readonly high: number } {
  if (n === 0) return { low: 0, high: 1 };
  const share = hits / n;
  const z2 = Z_95 * Z_95;
  const middle = share + z2 / (2 * n);
  const reach = Z_95 * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  const scale = 1 + z2 / n;
  return {
    low: hits === 0 ? 0 : Math.max(0, (middle - reach) / scale),
    high: hits === n ? 1 : Math.min(1, (middle + reach) / scale),
  };
}
