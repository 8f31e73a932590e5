import type { UnitHistory } from '../../processors/model/replay.ts';
import type { LaneHistoryDeps } from '../../processors/replay/create-lane-history.ts';

/** A piece of a replay that is read, written and counted as one: units [fromUnit, toUnit] of one partition. */
export interface ReplayChunk {
  /** From 0, over all partitions. */
  readonly chunk: number;
  readonly partition: number;
  /** In order of their bytes, both included. */
  readonly fromUnit: string;
  readonly toUnit: string;
  /** Smallest and largest rollout id in it: what the store is ordered by. */
  readonly fromRollout: string;
  readonly toRollout: string;
  readonly units: number;
  /** Events, about. */
  readonly events: number;
}

/** What is fixed when a replay begins, so that it reads the same however often it is resumed. */
export interface ReplayPlan {
  /** Records from this offset of each partition on are no part of it. By partition. */
  readonly ends: readonly number[];
  readonly chunks: readonly ReplayChunk[];
  /** Rollouts that are asked for and cannot be read, by reason, the first few by name: records that retention deleted … */
  readonly refused: readonly RefusedRollouts[];
}

export interface RefusedRollouts {
  readonly reason: string;
  readonly detail: string;
  readonly n: number;
  /** At most 100 of them. */
  readonly rollouts: readonly string[];
}

/** Where the events of a replay come from: the store or the log. Closed when the replay ends, however it ends. */
export interface ReplaySource {
  plan(): Promise<ReplayPlan>;
  /**
   * Lane-wide values of a partition by offset: weights, gates, documents, producers that ended. As what `createLaneHistory` makes
   * them of, which can be handed to another thread.
   */
  laneHistory(plan: ReplayPlan, partition: number): Promise<LaneHistoryDeps>;
  /** Units of a chunk, each whole. Bounded by the chunk: about 64 MB. */
  read(plan: ReplayPlan, chunk: ReplayChunk): AsyncIterable<UnitHistory>;
  close(): Promise<void>;
}
