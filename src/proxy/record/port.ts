import type { Verdict } from '../../../clients/typescript/recorded.ts';
import type { NamedBy } from '../journal/call-head.ts';
import type { Reuse } from '../journal/file-reuse.ts';

/** Of which attempt something is said that is no call. `attempt: null`: the latest that this proxy has seen. */
export type NamedAttempt = NamedBy & { readonly rollout: string };

/** What is said of an attempt by HTTP, beside its calls. */
export interface SaidEnd {
  readonly reasons: ReadonlyArray<{ readonly raw: string; readonly system: string; readonly detail?: string | null }>;
  readonly finalResponse?: string | null;
  readonly envReward?: number | null;
}

export interface SaidVerdict extends Verdict {
  readonly scorer: string;
  /** The same id again is the same verdict. null: one is made. */
  readonly eventId: string | null;
}

/** How a recording is begun: what goes to its thread. */
export interface RecordingOptions {
  /** State folder of the proxy, which this process owns: call files are in `calls/`; the rest is the recording's. */
  readonly folder: string;
  /** null: no server, so that events wait in the spool. */
  readonly server: { readonly url: string; readonly token: string | null } | null;
  /** For calls that name none. */
  readonly run: string;
  readonly env: string;
  readonly purpose: 'train' | 'eval' | 'synthesis';
  /** An attempt without a call for so long is over. */
  readonly idleMs: number;
  /** Why such a one has ended, in words of the taxonomy's system `rollstream`; null: nobody knows. */
  readonly idleReason: string | null;
}

export interface RecordingStatus {
  /** Attempts that have begun and not ended. */
  readonly openRollouts: number;
  /** Calls that ended and are not events yet. */
  readonly waitingCalls: number;
  /** Events that no server has answered for, and their bytes. */
  readonly spooledEvents: number;
  readonly spooledBytes: number;
  readonly lostEvents: number;
  /** Events that the server would not have: in its dead-letter, or kept beside the spool. */
  readonly refusedEvents: number;
  /** Calls that cannot be audited, by why: `no_token_ids`, `unreadable_answer` … */
  readonly notAuditable: Readonly<Record<string, number>>;
  /** What went wrong last, as of a server that is away; null: nothing. */
  readonly lastProblem: string | null;
  /** Runs whose events wait, at most 50, the longest waiting first. */
  readonly runs: readonly WaitingRun[];
}

export interface WaitingRun {
  /** null: not known, or several: they were left by an earlier version. */
  readonly run: string | null;
  readonly events: number;
  readonly bytes: number;
  /** Why the server does not take them; null: it was not asked yet. */
  readonly problem: string | null;
}

/** Makes events of calls, beside the thread that passes them on. Nothing of it is ever in the way of a client. */
export interface Recording {
  /**
   * The call whose file this is has ended: its events come from here on in the order of these. Returns at once. `reuse`: its file is
   * emptied where it would else be removed, and whoever gives this is told.
   */
  ended(path: string, reuse?: Reuse | null): void;
  /** Durable here once it resolves, after the events of all calls that ended before. RS_NOT_FOUND: no such attempt is open. */
  endRollout(named: NamedAttempt, end: SaidEnd): Promise<void>;
  /** Durable here once it resolves. Also after the end of the attempt. RS_NOT_FOUND: this proxy knows no such rollout. */
  verdict(named: NamedAttempt, verdict: SaidVerdict): Promise<void>;
  status(): Promise<RecordingStatus>;
  /** Resolves once all that ended is in the spool, and what a server takes in time is sent. Open attempts stay open. What waits then; null: not known. */
  close(timeoutMs: number): Promise<RecordingStatus | null>;
}
