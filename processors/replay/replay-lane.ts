import type { Documents } from '../decide/judge.ts';
import type { Fits } from '../decide/record-space.ts';
import type { Audits } from '../model/audit-summary.ts';
import type { Candidate } from '../model/closing.ts';
import type { Policy } from '../model/policy.ts';
import type { ReplayedUnit, UnitHistory } from '../model/replay.ts';
import type { LaneHistory } from './lane-history.ts';

export interface ReplayLaneDeps {
  readonly topic: string;
  readonly partition: number;
  readonly history: LaneHistory;
  /** Loaded: all that the history names. */
  readonly documents: Documents;
  /** Audits are made again; null: what they said stands (`UnitHistory.audited`), but for `termination`, which the taxonomy decides. */
  readonly audits: Audits | null;
  /** What has to come before a wave may be decided; null: nothing. Absent: nothing ever. */
  readonly awaited?: (wave: readonly Candidate[], policy: Policy) => Promise<void> | null;
  readonly replayId: string;
  /** use: a verdict that came too late counts as if it had come in time; ignore: all is as it was then. */
  readonly late: 'use' | 'ignore';
  /** false: token ids and logprobs are not there (zeros of their length); there are no rows of `trajectories`, and counts are right. */
  readonly withTokens: boolean;
  readonly limits: { readonly reorderEvents: number };
  /** What has no place on the ready topic is quarantined. Absent: everything has. */
  readonly fits?: Fits;
}

export interface ReplayLane {
  /** Rows are the caller's; nothing of the unit stays. For a lane that waits for nothing. */
  replay(unit: UnitHistory): ReplayedUnit;
  /** The same, waiting before each wave for what its decisions need. One at a time. */
  replayWaiting(unit: UnitHistory): Promise<ReplayedUnit>;
}

/** The stages of a live lane over the history of one unit after another. */
export function createReplayLane(deps: ReplayLaneDeps): ReplayLane {
  const none: ReplayedUnit = { kind: 'refused', reason: 'open', detail: deps.topic, rollouts: [] };
  return { replay: () => none, replayWaiting: async () => none };
}
