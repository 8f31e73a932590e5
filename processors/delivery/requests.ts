import type {
  BatchTokens,
  CheckpointName,
  DeliveryRefusal,
  DeliveryUnit,
  LeaseRecord,
  ReadyEntry,
  ReadyState,
  ShortStep,
  TrainMatch,
} from '../model/delivery.ts';

export interface Refused {
  readonly kind: 'refused';
  readonly reason: DeliveryRefusal;
  /** Of tokens: the lease of which they name only a part. */
  readonly part?: string;
  /** Of a step: what it would have had. */
  readonly short?: ShortStep;
}

export const refused = (reason: DeliveryRefusal, part?: string): Refused =>
  part === undefined ? { kind: 'refused', reason } : { kind: 'refused', reason, part };

/** ack (`trained`, after the optimizer step), release (`queued`), reject (`trainer_rejected`): all of a lease or none. */
export interface EndRequest {
  readonly lineage: number;
  readonly lease: string;
  readonly state: 'trained' | 'queued' | 'trainer_rejected';
  /** 0 where it was not trained. */
  readonly step: number;
  readonly reason: string;
  readonly version: string | null;
  readonly match: TrainMatch | null;
  /** Of what is released: nobody looked at it, and the grant does not count. */
  readonly isUnseen?: boolean;
}

export interface SealRequest {
  readonly lineage: number;
  readonly step: number;
  readonly tokens: BatchTokens;
}

export interface RewindRequest {
  readonly of: CheckpointName;
  /** The lineage that the trainer comes from. */
  readonly expect: number;
  readonly request: string;
  /** null: none; then only what was sealed can be restored. */
  readonly tokens: BatchTokens | null;
}

export interface ForkRequest {
  readonly of: CheckpointName;
  readonly into: string;
  readonly request: string;
  readonly tokens: BatchTokens | null;
}

export interface RunView {
  readonly lineage: number;
  readonly unit: DeliveryUnit | null;
  /** Checkpoints that can be restored, oldest first. */
  readonly seals: readonly CheckpointName[];
  readonly states: Readonly<Record<ReadyState, number>>;
  /** What admission counts: trained, leased and queued. */
  readonly accepted: number;
  readonly last: ReadonlyMap<string, readonly [index: number, attempt: number]>;
  /** The newest weights that survive; null: none were announced. */
  readonly newest: string | null;
}

export type OnApplied = (record: LeaseRecord, entryOf: (offset: number) => ReadyEntry | undefined) => void;
