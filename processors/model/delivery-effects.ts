import type { CheckpointName, LeaseRecord, ReadyEntry } from './delivery.ts';

/** A record as it stands on ready.leases. */
export interface LoggedRecord {
  readonly key: string;
  readonly record: LeaseRecord;
}

/** What a task of the dispatcher asks of the world; it goes on with the answer. */
export type DeliveryEffect =
  /** Answer `landed`; false: the outcome is unknown, and it is written again under a new seq. */
  | { readonly kind: 'write'; readonly record: LeaseRecord; readonly key: string }
  /** ms since the epoch. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  /** Answer `log`: all to the end of ready.leases as it is now, in order, without tombstones. */
  | { readonly kind: 'read_log' }
  /** Tombstones; `awaited`: they have landed before it goes on. */
  | { readonly kind: 'drop'; readonly keys: readonly string[]; readonly awaited: boolean }
  /** Answer `unreadable`: by offset, why the payload cannot be delivered. */
  | { readonly kind: 'unreadable'; readonly entries: readonly ReadyEntry[] }
  /** Answer `trained`: what rows of the run say was trained of these units. All of it that is final is among them. */
  | { readonly kind: 'look_back'; readonly run: string; readonly units: readonly string[] };

/** Of what the books may have forgotten: as it was written, before rewinds. */
export type TrainedBefore = Pick<ReadyEntry, 'offset' | 'unit' | 'rollout'> & CheckpointName;

export interface EffectAnswer {
  readonly landed?: boolean;
  readonly log?: readonly LoggedRecord[];
  readonly unreadable?: ReadonlyMap<number, string>;
  readonly trained?: readonly TrainedBefore[];
}

export type Task<T> = Generator<DeliveryEffect, T, EffectAnswer>;

/** A version of the weights of a run, over all its lineages; its place is the number of versions that its history made before. */
export interface Announced {
  readonly lineage: number;
  readonly step: number;
  readonly ordinal: number;
}

export interface DispatcherSettings {
  /** New at each start of a process. */
  readonly name: string;
  /** Where others reach it. */
  readonly url: string;
  /** Grants of an entry before it is undeliverable. */
  readonly maxDeliveries: number;
  readonly keptCheckpoints: number;
  /** Trained entries after the newest checkpoint; over that the oldest become final. */
  readonly unsealedTrajectories: number;
  /** Offsets of ready that one round of chunks covers. */
  readonly chunkEntries: number;
}

export interface DispatcherWorld {
  /** ms since the epoch. */
  nowMs(): number;
  /** Ownership was confirmed within a session. */
  isHeld(): boolean;
  readonly sessionMs: number;
  readonly assignedAtMs: number;
  /** Every version ever announced in the run, with a numeric lineage. It only grows. */
  announced(run: string): ReadonlyMap<string, Announced>;
}
