import type { RunQuota } from './quota.ts';
import type { Purpose, RunState } from './run-state.ts';

/** Runs as a whole, of a pipeline in this process or of a server. */
export interface Runs {
  /** What was declared and what came to be by its events, the one that changed last first. */
  list(): Promise<RunSummary[]>;
  /** RS_USAGE: something is known of it. A deleted name is taken again. */
  create(runId: string, wanted: NewRun, by: string): Promise<RunSummary>;
  /** Takes no new events from here on; what it has stays. RS_NOT_FOUND where nothing was ever heard of it. */
  archive(runId: string, by: string): Promise<RunSummary>;
  unarchive(runId: string, by: string): Promise<RunSummary>;
  setQuota(runId: string, quota: RunQuota, by: string): Promise<RunSummary>;
  /** Removes it with its data: RS_USAGE unless `confirm` is its id, RS_CHECK_FAILED where it is in use and `isForced` is false. */
  remove(runId: string, wanted: Removal, by: string): Promise<Removed>;
  close(): Promise<void>;
}

export interface NewRun {
  readonly purpose: Purpose | null;
  /** For people; empty: none. */
  readonly note: string;
  readonly quota: RunQuota;
}

export interface Removal {
  readonly confirm: string;
  readonly isForced: boolean;
  /** Runs that may be named to whoever asks, beside this one; absent, null: all. */
  readonly mayName?: ReadonlySet<string> | null;
}

export interface Removed {
  readonly run_id: string;
  readonly state: 'deleted';
  /** Rows by table; blobs, and blobs that others refer to. */
  readonly removed: Readonly<Record<string, number>>;
  /** What is still there of it, and until when, in sentences. */
  readonly stays: readonly string[];
}

export interface RunSummary {
  readonly run_id: string;
  readonly state: RunState;
  /** Something was said of it; else it came to be by its first event. */
  readonly declared: boolean;
  readonly purpose: string | null;
  readonly note: string;
  /** null: what is configured. */
  readonly events_per_second: number | null;
  readonly in_flight_bytes: number | null;
  readonly started: number;
  readonly closed: number;
  /** Attempts that wait for something. */
  readonly open: number;
  /** Decided to be trained; what became of it says accounting. */
  readonly ready: number;
  readonly first_started_at: string | null;
  readonly last_decided_at: string | null;
  /** When the newest event of it was appended that opened or closed an attempt. */
  readonly last_event_at: string | null;
  readonly created_at: string | null;
  readonly changed_at: string | null;
  readonly changed_by: string;
  readonly removed: Readonly<Record<string, number>>;
}
