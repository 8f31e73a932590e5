import type {
  BatchKey,
  BatchTokens,
  CheckpointName,
  DeliveryUnit,
  ReadyEntry,
  ReadyState,
  TrainMatch,
} from '../../processors/model/delivery.ts';

/**
 * Leases of trajectories.ready, as routes see them: in this process, or at the one that owns ready.leases. Whatever is refused
 * rejects with RS_LEASE_LOST, RS_LINEAGE_DISCARDED, RS_DELIVERY_REFUSED, RS_NOT_FOUND or RS_USAGE.
 */
export interface Delivery {
  /** Waits up to `waitMs` for enough; `signal` gives up. null: not enough, ask again with the next try. */
  lease(call: LeaseCall, signal: AbortSignal): Promise<LeasedBatch | null>;
  ack(lease: string, call: AckCall): Promise<void>;
  /** isUnseen: nobody looked at it, and the grant does not count. */
  release(lease: string, call: { readonly lineage: number | null; readonly isUnseen?: boolean }): Promise<void>;
  reject(lease: string, call: { readonly lineage: number | null; readonly reason: string }): Promise<void>;
  /** Resolves with the new deadline, ms since the epoch. */
  extend(lease: string, call: { readonly lineage: number | null; readonly leaseMs: number | null }): Promise<number>;
  /** null: nobody has this lease. */
  runOf(lease: string): Promise<string | null>;
  seal(run: string, call: SealCall): Promise<void>;
  /** Resolves with the lineage that it opened. */
  rewind(run: string, call: RewindCall): Promise<number>;
  fork(run: string, call: ForkCall): Promise<void>;
  /** null: nothing of the run was ever ready, announced or leased. */
  status(run: string): Promise<DeliveryStatus | null>;
  /** Refuses weights of a lineage that was left (a number; other text is taken as it is), or whose name a fork has taken over. */
  checkVersion(announced: { readonly run: string; readonly lineage: string; readonly version: string }): Promise<void>;
}

export interface LeaseCall {
  readonly run: string;
  /** null: the one in force. */
  readonly lineage: number | null;
  readonly consumer: string;
  /** null: the next index of the consumer; then a lost answer is not given again. */
  readonly key: BatchKey | null;
  readonly unit: DeliveryUnit;
  readonly dp: number;
  readonly rank: number;
  readonly most: number;
  readonly least: number;
  readonly tokens: number | null;
  readonly microTokens: number | null;
  /** null: delivery.lease. */
  readonly leaseMs: number | null;
  readonly waitMs: number;
}

/** What is sent for a lease: its trajectories as they stand on the ready topic. */
export interface LeasedBatch {
  readonly lease: string;
  readonly run: string;
  readonly lineage: number;
  readonly key: BatchKey;
  readonly unit: DeliveryUnit;
  /** ms since the epoch. */
  readonly deadline: number;
  /** Newest weights of the run in its lineage; null: none were announced. */
  readonly version: string | null;
  /** Ranks of a step lease, and the one that it is for; 0 and 0: no step lease. */
  readonly dp: number;
  readonly rank: number;
  readonly entries: readonly DeliveredEntry[];
  /** Of the whole lease, all ranks: what a checkpoint that holds it names among its tokens. */
  readonly offsets: readonly number[];
  /** Micro-batches of the rank, as indexes of `entries`. */
  readonly microBatches: ReadonlyArray<readonly number[]>;
  /** Confluent wire format, in the order of `entries`. */
  readonly records: readonly Buffer[];
}

export interface DeliveredEntry extends ReadyEntry {
  /** Grants so far, this one included. */
  readonly deliveries: number;
  /** Newest weights − oldest that sampled it, in announcements; null: unknown. */
  readonly lag: number | null;
}

export interface AckCall {
  readonly lineage: number | null;
  readonly step: number;
  /** Weights that the step made; null: it does not say. */
  readonly version: string | null;
  readonly match: TrainMatch | null;
}

export interface SealCall {
  readonly lineage: number | null;
  readonly step: number;
  readonly tokens: BatchTokens;
}

export interface RewindCall {
  readonly of: CheckpointName;
  /** The lineage that the trainer comes from. */
  readonly expect: number;
  /** Names the request: asked again it has no effect, and the same answer. */
  readonly request: string;
  /** null: none; then only what was sealed can be restored. */
  readonly tokens: BatchTokens | null;
}

export interface ForkCall {
  readonly of: CheckpointName;
  readonly into: string;
  readonly request: string;
  readonly tokens: BatchTokens | null;
}

export interface DeliveryStatus {
  readonly run: string;
  readonly lineage: number;
  readonly unit: DeliveryUnit | null;
  /** Checkpoints that can be restored, oldest first. */
  readonly checkpoints: readonly CheckpointName[];
  readonly states: Readonly<Record<ReadyState, number>>;
  /** Requests that wait for more. */
  readonly waiting: number;
  /** Last (index, try) that was answered, by replica. */
  readonly last: Readonly<Record<string, readonly [index: number, attempt: number]>>;
}
