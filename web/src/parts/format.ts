/** Numbers for people; a null is a dash, never a 0. */

export const NOTHING = '–';

export function count(value: number | null): string {
  return value === null ? NOTHING : value.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

export function decimal(value: number | null, digits = 3): string {
  return value === null ? NOTHING : value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

/** A share of 1. */
export function percent(share: number | null, digits = 1): string {
  return share === null ? NOTHING : `${(share * 100).toFixed(digits)} %`;
}

export function duration(ms: number | null): string {
  if (ms === null) return NOTHING;
  if (Math.abs(ms) < 1_000) return `${decimal(ms, 1)} ms`;
  if (Math.abs(ms) < 60_000) return `${decimal(ms / 1_000, 2)} s`;
  if (Math.abs(ms) < 3_600_000) return `${decimal(ms / 60_000, 1)} min`;
  return `${decimal(ms / 3_600_000, 1)} h`;
}
