import type { DocumentText } from '../lanes/read-document.ts';

/** What a person wants replayed, as it comes from the command line or over HTTP. Never a path: documents travel as text. */
export interface ReplayRequest {
  /** Given by who asks, so that the same request asked again goes on with the same replay. */
  readonly replayId: string;
  /** Empty: every run. */
  readonly runs: readonly string[];
  /** First record of the stretch; a unit belongs to it by the record that opened it. null: from the beginning. */
  readonly from: ReplayPlace | null;
  /** The first record behind the stretch; null: up to what is decided now. */
  readonly to: ReplayPlace | null;
  /** A condition on columns of `live_decisions`; a unit belongs if one of its decisions meets it. null: all. */
  readonly where: string | null;
  /** null: the one that decided then. */
  readonly policy: DocumentText | null;
  readonly taxonomy: DocumentText | null;
  /** Audits are made again; else what they said stands. */
  readonly audits: boolean;
  readonly source: 'store' | 'log';
  /** Rows are written; else there is a report only. */
  readonly save: boolean;
  readonly emit: EmitRequest | null;
  readonly label: string;
  /** use: late verdicts count (and deferred audits); ignore: all is as it was then. */
  readonly late: 'use' | 'ignore';
  /** What it is compared with and supersedes: the live decisions (''), or an earlier replay. */
  readonly against: string;
  /** Verdicts that were kept under the replay's id are put in the place of those of the same scorer. */
  readonly withVerdicts: boolean;
}

/** An offset of each partition or of one, or a time of append (ms since the epoch). */
export type ReplayPlace =
  | { readonly kind: 'offset'; readonly partition: number | null; readonly offset: number }
  | { readonly kind: 'time'; readonly atMs: number };

export interface EmitRequest {
  /** Name of the topic; null: the ready topic of the pipeline. */
  readonly topic: string | null;
  /** Also what was trained already in the surviving history. */
  readonly again: boolean;
  /** What is too old by the newest weights now: left out, by the policy that decides; or emitted all the same. */
  readonly stale: 'leave_out' | 'emit';
  /**
   * Units that the trainer would learn the same from as before. Absent: they are left out of the ready topic, where it has them in
   * its queue already.
   */
  readonly unchanged?: 'leave_out' | 'emit';
}

/** What a topic may have at most. */
export const MOST_PARTITIONS = 1024;
