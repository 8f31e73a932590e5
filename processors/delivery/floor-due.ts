import type { Run } from './run.ts';

/**
 * The step up to which all becomes final, because more than `most` entries were trained after the newest checkpoint; null: not yet.
 * Half of them stay, so that it comes seldom. A RUN THAT NEVER SEALS IS BOUNDED, TOO: 1 its trainer acks for weeks and saves no
 * checkpoint; 2 all of it could be rewound to step 0, so nothing is final; 3 memory and ready.leases grow without end.
 * It names no checkpoint: one that is restored at that step must still say what it holds.
 */
export function floorDue(run: Run, most: number): number | null {
  if (run.live.trained <= most) return null;
  const sealed = Math.max(run.floor, run.seals.at(-1)?.step ?? 0);
  const steps: number[] = [];
  for (const [offset, state] of run.standing) {
    const { step } = run.fact(offset);
    if (state === 'trained' && step > sealed) steps.push(step);
  }
  if (steps.length <= most) return null;
  steps.sort((a, b) => a - b);
  return steps[steps.length - 1 - Math.floor(most / 2)] ?? null;
}
