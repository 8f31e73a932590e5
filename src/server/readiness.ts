import type { LaneStatus } from '../lanes/lanes.ts';

/** Whether the lanes do their work. */
export interface Readiness {
  readonly ready: boolean;
  /** Why not; '' when ready. */
  readonly reason: string;
  readonly lanes: readonly LaneStatus[];
}

export interface ReadinessDeps {
  readonly status: () => readonly LaneStatus[];
  /** ms since the epoch. */
  readonly now: () => number;
  /** Services that do not answer; ''. */
  readonly outage: () => string;
  /** A worker of a group may have no lane: others have them all, and it stands by. */
  readonly mayStandBy: boolean;
}

/** A lane that has records to read and commits nothing for so long is stuck. */
const STUCK_AFTER_MS = 60_000;

/** Looks at the lanes each time it is asked; a probe every few seconds is what notices a stuck one. */
export function createReadiness({ status, now, outage, mayStandBy }: ReadinessDeps): () => Readiness {
  const moved = new Map<number, { readonly frontier: number; readonly atMs: number }>();

  const reasonOf = (lane: LaneStatus): string => {
    const last = moved.get(lane.partition);
    const waits = lane.logEnd > lane.frontier;
    if (last === undefined || last.frontier !== lane.frontier || !waits) {
      moved.set(lane.partition, { frontier: lane.frontier, atMs: now() });
      return lane.restored ? '' : `lane ${lane.partition} is being rebuilt`;
    }
    if (!lane.restored) return `lane ${lane.partition} is being rebuilt`;
    return now() - last.atMs > STUCK_AFTER_MS ? `lane ${lane.partition} is stuck at offset ${lane.frontier}` : '';
  };

  return () => {
    const lanes = status();
    const reasons = [outage(), ...lanes.map(reasonOf)].filter((reason) => reason !== '');
    if (lanes.length === 0 && !mayStandBy) reasons.push('no lane is assigned yet');
    return { ready: reasons.length === 0, reason: reasons.join('; '), lanes };
  };
}
