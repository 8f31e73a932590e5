/**
 * What delivery works on: entries of trajectories.ready, the last fact about each in a run, and the records of ready.leases.
 * A lineage is a number: 0, and one more with each rewind of the run.
 */

/** A record of trajectories.ready, without its payload. Its offset is its name in every run that shares it. */
export interface ReadyEntry {
  readonly offset: number;
  readonly run: string;
  /** What is delivered together, if `size` is above 1: the unit's key; of a replay what `versionGroup` makes of it. */
  readonly group: string;
  /** Members of that on the topic, this one included; 1: it goes alone. */
  readonly size: number;
  /** The unit's key: run/epoch/g/group or run/epoch/r/rollout, percent-encoded. */
  readonly unit: string;
  readonly rollout: string;
  readonly attempt: number;
  /** Tokens of all its segments. */
  readonly tokens: number;
  /** Of all weights that sampled it, each once; '': of some tokens it is unknown. */
  readonly versions: readonly string[];
  readonly readyAtMs: number;
  /** The replay that scored it again: a newer version of what it supersedes; absent: as it was decided live. A million of those wait. */
  readonly replay?: string;
  /** Of a replay: to be trained also where another version of it was. */
  readonly again?: true;
}

/** States of the accounting identity: ready = their sum. */
export const READY_STATES = [
  ...(['queued', 'leased', 'trained', 'expired', 'undeliverable', 'trainer_rejected'] as const),
  /** Another version of it is trained in its place, or was. */
  'replaced' as const,
];
export type ReadyState = (typeof READY_STATES)[number];

export function noReadyStates(): Record<ReadyState, number> {
  return { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 };
}

/** The last word on one entry in one run; none: queued, never delivered. */
export interface Fact {
  readonly state: ReadyState;
  readonly lineage: number;
  /** Step of the trainer; 0 where it was not trained. */
  readonly step: number;
  /** ''; or the lease that it belongs to. */
  readonly lease: string;
  /** Grants since it was last trained. */
  readonly count: number;
}

export type Facts = ReadonlyMap<number, Fact>;
export type DeliveryUnit = 'rollout' | 'group';

/** (replica or consumer, or 'step'; batch index or step; try): one answer, whoever asks and whoever answers. */
export type BatchKey = readonly [name: string, index: number, attempt: number];

/** Ranks × micro-batches × offsets. Ranks have the same number of micro-batches, none of them empty. */
export type Shards = ReadonlyArray<ReadonlyArray<readonly number[]>>;

/** Names a checkpoint of a run. */
export interface CheckpointName {
  readonly lineage: number;
  readonly step: number;
}

/** What a checkpoint holds and no ack has told of: by lease, the step that trained it and its entries. */
export type BatchTokens = ReadonlyMap<string, { readonly step: number; readonly offsets: readonly number[] }>;

/** What the trainer measured while it trained a lease; null: not reported. */
export interface TrainMatch {
  readonly kl: number | null;
  readonly maxLogprobDiff: number | null;
  readonly clippedShare: number | null;
}

/** What may be leased when it is asked for: how old is too old. */
export interface TakeRule {
  /** Largest lag; null: any. */
  readonly maxLag: number | null;
  /** Unknown weights are taken for too old. */
  readonly expiresUnknown: boolean;
  /** What expires with a member that is too old; keep: nothing expires. */
  readonly atTake: 'member' | 'group' | 'keep';
}

/** A lease that was granted, as it is written; again with a later deadline: extended. */
export interface Grant {
  readonly kind: 'grant';
  readonly run: string;
  readonly facts: Facts;
  readonly lease: string;
  readonly lineage: number;
  readonly key: BatchKey;
  /** Ranks of a step lease; 0: none, one consumer has it all. */
  readonly dp: number;
  readonly unit: DeliveryUnit;
  readonly consumer: string;
  /** ms since the epoch. */
  readonly deadline: number;
  readonly shards: Shards;
  /** When it was first granted, and how long the request that got it had waited, ms. */
  readonly grantedAtMs: number;
  readonly waitedMs: number;
}

/** All that is final of a run, and its scalars. */
export interface RunHead {
  readonly unit: DeliveryUnit | null;
  readonly lineage: number;
  /** Of the last rewind. */
  readonly request: string | null;
  /** Request that forked it; null: it is no fork. */
  readonly forked: string | null;
  /** Of a fork: trajectories that its parent had when it was forked, final ones included. */
  readonly inheritedCount: number;
  /** Lineage → step where it began. */
  readonly cuts: ReadonlyMap<number, number>;
  /** Checkpoints that can be restored, oldest first. */
  readonly seals: readonly CheckpointName[];
  /** What was trained up to this step is final, though no checkpoint said so; 0: none. */
  readonly floor: number;
  /** Last (index, try) of each replica. */
  readonly last: ReadonlyMap<string, readonly [index: number, attempt: number]>;
  /** Versions from before a fork: name → where it was made. */
  readonly inherited: ReadonlyMap<string, CheckpointName & { readonly ordinal: number }>;
  /** Final is all below, and these ranges [from, to) above it. */
  readonly low: number;
  readonly final: ReadonlyArray<readonly [from: number, to: number]>;
  readonly counts: ReadonlyMap<ReadyState, number>;
  /** A run of this name was deleted: what it had below this offset of ready is forgotten. Absent: none was. */
  readonly forgot?: number;
}

/** One whole decision, absolute: applied twice it changes nothing. */
export type Decision =
  | { readonly kind: 'claim'; readonly url: string }
  | { readonly kind: 'indexed'; readonly offset: number }
  | {
      readonly kind: 'chunk';
      readonly run: string;
      readonly entries: readonly ReadyEntry[];
      /** Of a fork too large for one record: facts on these entries, which count with the fork that has the same `piece`; null: none. */
      readonly piece: string | null;
      readonly facts: Facts;
    }
  | Grant
  /** These keys were told "again". */
  | { readonly kind: 'wait'; readonly run: string; readonly keys: readonly BatchKey[] }
  | {
      readonly kind: 'fact';
      readonly run: string;
      readonly facts: Facts;
      /** Why it was rejected, expired, replaced or could not be delivered; '': it was acked or released. */
      readonly reason: string;
      /** Of an ack: the weights version that the step made, lag at use by offset, what was measured. */
      readonly version: string | null;
      readonly lags: ReadonlyMap<number, number>;
      readonly match: TrainMatch | null;
    }
  | {
      readonly kind: 'seal';
      readonly run: string;
      readonly facts: Facts;
      readonly lineage: number;
      readonly step: number;
      /** Lag at use by offset, of what was not acked before. */
      readonly lags: ReadonlyMap<number, number>;
      /** Nobody asked: the run never seals, what it trained up to this step becomes final, and no checkpoint is named. */
      readonly isFloor: boolean;
    }
  | {
      readonly kind: 'rewind';
      readonly run: string;
      readonly facts: Facts;
      readonly lineage: number;
      readonly of: number;
      readonly step: number;
      readonly request: string;
    }
  | {
      readonly kind: 'fork';
      readonly run: string;
      readonly parent: string;
      /** Lineage of the parent's checkpoint. */
      readonly of: number;
      readonly facts: Facts;
      readonly entries: readonly ReadyEntry[];
      readonly head: RunHead;
      /** Its chunks came before it; null: it has all entries itself. */
      readonly piece: string | null;
    }
  | { readonly kind: 'head'; readonly run: string; readonly head: RunHead };

/** Who wrote a record, in which order, and when (ms since the epoch). `claim.by.seq` is its key, written once. */
export interface Signature {
  readonly claim: number;
  readonly by: string;
  readonly seq: number;
  readonly at: number;
}

export type LeaseRecord = Decision & Signature;

/** Why a request is refused. */
export type DeliveryRefusal =
  | 'discarded_lineage'
  | 'lease_lost'
  | 'unit_is_fixed'
  | 'dp_size_changed'
  | 'too_large'
  | 'too_few'
  | 'conflict'
  | 'forgotten'
  | 'checkpoint_discarded'
  | 'never_sealed'
  | 'trained_twice'
  | 'exists';

/** A step whose units, each looked at, hold fewer trajectories than it has ranks. */
export interface ShortStep {
  readonly ranks: number;
  readonly units: number;
  readonly trajectories: number;
  /** Whether the run was leased from: then single trajectories are no way out. */
  readonly isUnitFixed: boolean;
}

export interface LeaseRequest {
  readonly run: string;
  readonly lineage: number;
  readonly consumer: string;
  readonly key: BatchKey;
  readonly unit: DeliveryUnit;
  /** Ranks of a step lease, and the one that asks; 0 and 0: no step lease. */
  readonly dp: number;
  readonly rank: number;
  /** Most units; and fewest, else it is not enough. A step lease takes exactly `most`, or by `tokens`. */
  readonly most: number;
  readonly least: number;
  /** Step lease by size: units until their tokens are at least so many; null: by count. */
  readonly tokens: number | null;
  /** Largest micro-batch of a step lease in tokens (a single trajectory may have more); null: one a rank. */
  readonly microTokens: number | null;
  readonly leaseMs: number;
  readonly rule: TakeRule;
  readonly waitedMs: number;
}

/** A lease as the one that asked has it. */
export interface Leased {
  readonly kind: 'leased';
  readonly grant: Grant;
  readonly rank: number;
}

export type LeaseAnswer =
  | Leased
  /** Not enough; or the lease is lost or ended. An answer too: ask with the next try. */
  | { readonly kind: 'again' }
  /** Not enough so far, nothing was written: whoever still waits asks again when something changes. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'refused'; readonly reason: DeliveryRefusal; readonly short?: ShortStep };
