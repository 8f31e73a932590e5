import type { End, PhaseName, Start, StepEvent, VerdictStatus } from '../../schemas/generated/step-event.ts';
import type { AttemptFacts } from './attempt-facts.ts';
import type { AttemptWatch } from './attempt-watch.ts';
import type { Audited } from './audit-summary.ts';
import type { DeepAnswers } from './deep-input.ts';
import type { Judgement, Scored } from './judgement.ts';
import type { Segment, Turn } from './segment.ts';

/** Where in the log something came from. */
export interface Cause {
  readonly offset: number;
  /** Append time, ms since the epoch. */
  readonly appendedAtMs: number;
}

/** A verdict that counts, for one (scorer, version, turn). */
export interface HeldVerdict {
  readonly scorer: string;
  readonly scorerVersion: string;
  readonly status: VerdictStatus;
  /** null: missing, or not finite (NaN never leaves). */
  readonly rewards: Readonly<Record<string, number | null>>;
  /** Names of those that are null because they were not finite. */
  readonly notFinite: readonly string[];
  readonly boundTo: number | null;
}

/** An accepted event that waits for the one before it. */
export interface Waiting {
  readonly event: StepEvent;
  readonly cause: Cause;
}

export type AttemptIdentity = Pick<
  StepEvent,
  'run_id' | 'purpose' | 'env_name' | 'task_id' | 'epoch' | 'group_id' | 'group_size' | 'rollout_id' | 'attempt'
>;

/** What of the start and the end a decision needs: the rest is in `steps`, and must not stay in memory. */
export type HeldStart = Pick<
  Start,
  'task_metadata_json' | 'tokenizer_sha256' | 'template_sha256' | 'template_vars_json' | 'sampling' | 'limits'
>;
export type HeldEnd = Pick<End, 'reasons' | 'exception' | 'limit'>;

/** An attempt that is not decided; 100,000 of them are open at a time, so that what most never need is null. Until its start is seen, all it has are orphans. */
export interface Attempt {
  readonly unit: Unit;
  readonly rolloutId: string;
  readonly number: number;
  /** The identity fields, the same on all its events. */
  readonly identity: AttemptIdentity;
  /** First record of the attempt. */
  readonly firstOffset: number;
  /** Append time of its first record and of its last, ms. */
  readonly openedAtMs: number;
  lastAtMs: number;
  /** Producer of the first sequenced event; null before one came. Holds: all sequenced events are its. */
  owner: string | null;
  /** null until the start event came. */
  start: HeldStart | null;
  /** Start of the attempt by its producer's clock, µs; null without one. */
  startedAtUs: number | null;
  endedAtUs: number | null;
  /** Next seq to fold. Starts at 0. Holds: every seq below it was folded, in order. */
  nextSeq: number;
  /** Largest seq seen, -1 before the first. Holds: ≥ nextSeq - 1. */
  maxSeq: number;
  /** event_id hashes by seq, to tell a repeat from a conflict. */
  readonly eventHashes: number[];
  /** Unsequenced events (verdicts, late phases) seen, by event_id hash; null: none yet. */
  unsequenced: Set<number> | null;
  /**
   * Reorder buffer by seq; null: nothing ever waited. Holds: no key below nextSeq; at most `reorderEvents` of them. What has a
   * seq above the end's is never folded: 1 call @seq 3; 2 end @seq 2; 3 call @seq 1 fills the gap, and the attempt ends at 2.
   */
  waiting: Map<number, Waiting> | null;
  /** Unsequenced events that came before the start. */
  early: Waiting[];
  /** Segments in order of birth; the current one of a segment_id is the last derived from it. */
  readonly segments: Segment[];
  readonly turns: Turn[];
  readonly aux: Array<{
    turn: number;
    name: string;
    uri: string;
    sha256: string | null;
    shape: number[];
    dtype: string;
  }>;
  /** Model calls folded, also those without tokens. */
  calls: number;
  /** A call that succeeded came without token ids: the sequence cannot be whole. */
  missingTokens: boolean;
  /** Tool calls without a result yet, `turn/call id`; one that a turn names twice stands here twice. */
  readonly openCalls: string[];
  unaskedResults: number;
  /** Holds: in order of scorer, version and turn, whatever the order they came in: sums and ids must not depend on it. */
  readonly verdicts: HeldVerdict[];
  readonly wallUs: Partial<Record<PhaseName, number>>;
  /** null: no event had anything of it to tell. */
  facts: AttemptFacts | null;
  /** null until it is folded. */
  end: HeldEnd | null;
  /** seq of the end event, from when it was seen on; -1 before. */
  endSeq: number;
  /** First fault found while folding that makes the token record unreliable, such as prefix_beyond_held. */
  corrupt: string | null;
  /** Raised by every accepted event: what was computed from an older revision is stale. */
  revision: number;
  /** Last judgement, the revision and the control values it was made at. */
  judged: Judged | null;
  /** What the audits need of events that are gone; null: no event had anything to note. */
  watch: AttemptWatch | null;
  /** What audits with a tokenizer said, where a decision waits for them; null: none has. */
  deep: DeepAnswers | null;
  /** What the audits said; null: they have not looked. */
  audited: Audited | null;
  /** Deadline that closed it, when it is not decided at once because its group is not complete. */
  expiredBy: string | null;
  /** When the lane asked for a deadline of this attempt, and what it saw then: it does not ask twice. */
  asked: string | null;
}

/** Facts and judgement, and what they were made at. */
export interface Judged {
  readonly scored: Scored;
  readonly revision: number;
  readonly expiredBy: string | null;
  readonly taxonomyId: string;
  /** null: no policy has ruled on it. */
  ruled: { readonly judgement: Judgement; readonly policyId: string; readonly classes: readonly string[] } | null;
}

/** Its start has been seen: it counts. */
export function isStarted(attempt: Attempt): boolean {
  return attempt.start !== null;
}

/** A decision that was made, as `decisions` or the lane's own memory tells it. */
export interface PastDecision {
  readonly rolloutId: string;
  readonly attempt: number;
  readonly disposition: string;
  readonly category: string;
  /** Cause offset. */
  readonly offset: number;
}

/** What became of the highest decided attempt of a rollout. */
export type Decided = Pick<PastDecision, 'attempt' | 'disposition' | 'category'>;

/** What opens and closes together: a group, or a rollout without one. */
export interface Unit {
  /** Message key. */
  readonly key: string;
  /** Offset of the record that opened it. Deadlines of the unit name it. */
  readonly start: number;
  readonly openedAtMs: number;
  readonly runId: string;
  readonly epoch: number;
  /** Members of the group; null: no group, or of unknown size. Until the first start came: as the first record says, which may be a verifier's. */
  size: number | null;
  /** Task of its first start, which its members share; null: no start came. */
  taskId: string | null;
  /** Highest attempt decided of each rollout. */
  readonly decided: Map<string, Decided>;
  /** Decisions of this opening below the restored frontier, by offset, not yet applied. */
  recall: PastDecision[];
  /** Open attempts by `rollout\u0000attempt`. */
  readonly attempts: Map<string, Attempt>;
  /** Who started a member last. */
  lastProducer: string | null;
  /** The lane asked for group_incomplete. */
  asked: boolean;
}

/** Key of an attempt within its unit. */
export function attemptKey(rolloutId: string, number: number): string {
  return `${rolloutId}\u0000${number}`;
}

/** Its events are all there, from the start to the end. */
export function isWhole(attempt: Attempt): boolean {
  return attempt.end !== null && attempt.nextSeq === attempt.endSeq + 1;
}

/** What a deadline names of an attempt: void as soon as anything else was accepted. */
export function sawOf(attempt: Attempt): string {
  // The last seq alone would not do: 1 seq 0 and 2; 2 a gap deadline is written; 3 seq 1 fills the gap: the last seq is still 2.
  return `${attempt.maxSeq}/${attempt.revision}`;
}
