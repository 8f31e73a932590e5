import type { RefusedRollouts } from './replay-source.ts';

const MOST_NAMED = 100;

/** What was refused in pieces, as one list by reason, in order of the reasons. Details of the first piece stand. */
export function mergeRefused(pieces: Iterable<readonly RefusedRollouts[]>): RefusedRollouts[] {
  const byReason = new Map<string, { detail: string; n: number; rollouts: string[] }>();
  for (const piece of pieces)
    for (const { reason, detail, n, rollouts } of piece) {
      const sum = byReason.get(reason) ?? { detail, n: 0, rollouts: [] };
      byReason.set(reason, sum);
      sum.n += n;
      sum.rollouts.push(...rollouts.slice(0, MOST_NAMED - sum.rollouts.length));
    }
  return [...byReason].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, sum]) => ({ reason, ...sum }));
}
