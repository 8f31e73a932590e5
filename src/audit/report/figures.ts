import type { Rate } from '../../../processors/gate/judge-window.ts';

/** `3 of 12 (25 %)`. */
export function shareText(hits: number, n: number): string {
  return n === 0 ? `${hits} of 0` : `${hits} of ${n} (${percent(hits / n)})`;
}

/** The rate, and the interval where it is of a sample. */
export function rateText({ rate, low, high, n, hits }: Rate): string {
  if (rate === null) return 'nothing could be looked at';
  const share = hits === null ? String(rate) : `${percent(rate)}, ${hits} of ${n}`;
  const isExact = low === null || high === null || (low === rate && high === rate);
  return isExact ? share : `${share}, between ${percent(low)} and ${percent(high)}`;
}

/** Enough digits to tell a few in a million from none. */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 0.01) return '< 0.01 %';
  return value > 99.99 ? '> 99.99 %' : `${value.toFixed(value < 1 ? 2 : 1)} %`;
}

/** `1 trajectory`, `2 trajectories`. */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-US')} ${n === 1 ? one : many}`;
}

/** Trajectories that a class could have been found in: all of them, where it was found also in what was not auditable. */
export function lookedAt(notAuditable: number, found: number, trajectories: number): number {
  const looked = trajectories - notAuditable;
  return looked >= found ? looked : trajectories;
}
