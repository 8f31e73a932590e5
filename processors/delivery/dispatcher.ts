import type {
  BatchTokens,
  CheckpointName,
  DeliveryRefusal,
  DeliveryUnit,
  LeaseAnswer,
  LeaseRecord,
  LeaseRequest,
  ReadyEntry,
  ReadyState,
  TrainMatch,
} from '../model/delivery.ts';
import type { DispatcherSettings, DispatcherWorld, Task } from '../model/delivery-effects.ts';

export interface Refused {
  readonly kind: 'refused';
  readonly reason: DeliveryRefusal;
}

/** ack (`trained`), release (`queued`), reject (`trainer_rejected`): all of a lease or none. */
export interface EndRequest {
  readonly lineage: number;
  readonly lease: string;
  readonly state: 'trained' | 'queued' | 'trainer_rejected';
  /** 0 where it was not trained. */
  readonly step: number;
  readonly reason: string;
  readonly version: string | null;
  readonly match: TrainMatch | null;
}

export interface SealRequest {
  readonly lineage: number;
  readonly step: number;
  readonly tokens: BatchTokens;
}

export interface RewindRequest {
  readonly of: CheckpointName;
  readonly expect: number;
  readonly request: string;
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
  readonly last: ReadonlyMap<string, readonly [index: number, attempt: number]>;
  /** The newest weights that survive; null: none were announced. */
  readonly newest: string | null;
}

export type OnApplied = (record: LeaseRecord, entryOf: (offset: number) => ReadyEntry | undefined) => void;

export class Dispatcher {
  /** From where the tail of ready is read after takeOver. */
  readFrom = 0;
  /** Each record that counts, once it is applied: its own, and what takeOver read. */
  onApplied: OnApplied = () => undefined;

  constructor(
    readonly settings: DispatcherSettings,
    readonly world: DispatcherWorld,
  ) {}

  *takeOver(): Task<void> {
    throw new Error('not yet');
  }
  arrived(_entries: readonly ReadyEntry[], _position: number): void {
    throw new Error('not yet');
  }
  *index(): Task<void> {
    throw new Error('not yet');
  }
  *lease(_request: LeaseRequest, _mayWait: boolean): Task<LeaseAnswer> {
    throw new Error('not yet');
  }
  *extend(_run: string, _lineage: number, _lease: string, _deadlineMs: number): Task<'ok' | Refused> {
    throw new Error('not yet');
  }
  *end(_run: string, _request: EndRequest): Task<'ok' | Refused> {
    throw new Error('not yet');
  }
  *seal(_run: string, _request: SealRequest): Task<'ok' | Refused> {
    throw new Error('not yet');
  }
  *rewind(_run: string, _request: RewindRequest): Task<number | Refused> {
    throw new Error('not yet');
  }
  *fork(_run: string, _request: ForkRequest): Task<'ok' | Refused> {
    throw new Error('not yet');
  }
  *fold(_run: string): Task<void> {
    throw new Error('not yet');
  }
  /** Runs whose spent records are worth folding now. */
  foldable(): readonly string[] {
    throw new Error('not yet');
  }
  runOfLease(_lease: string): string | null {
    throw new Error('not yet');
  }
  view(_run: string): RunView | null {
    throw new Error('not yet');
  }
  entry(_run: string, _offset: number): ReadyEntry {
    throw new Error('not yet');
  }
  /** Newest weights − oldest that sampled the entry, in announcements; null: unknown. */
  lag(_run: string, _entry: ReadyEntry): number | null {
    throw new Error('not yet');
  }
  /** When a lease of the run runs out: whoever waits is woken. */
  nextDeadlineMs(_run: string): number | null {
    throw new Error('not yet');
  }
}
