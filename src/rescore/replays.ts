import type { DiffTally } from '../../processors/replay/diff-tally.ts';
import type { NewVerdictOf } from './new-verdicts.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { RefusedRollouts } from './replay-source.ts';

export type ReplayState = 'running' | 'emitting' | 'done' | 'failed' | 'cancelled';

/** How far a replay is. */
export interface ReplayStatus {
  readonly replay_id: string;
  readonly label: string;
  readonly state: ReplayState;
  /** Running or emitting, but nobody works on it any more: starting it again goes on with it. */
  readonly interrupted: boolean;
  /** Code and message of what ended it; null: nothing has. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly saved: boolean;
  readonly chunks: number;
  readonly chunks_done: number;
  readonly units: number;
  readonly units_done: number;
  readonly attempts: number;
  readonly changed: number;
  readonly emitted: number;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Attempts a second since it was started or resumed; null: nothing is done yet. */
  readonly rate: number | null;
  /** Seconds that are left at that rate; null: unknown. */
  readonly eta_s: number | null;
}

/** What a replay changed, and what it left out. */
export interface ReplayReport {
  readonly status: ReplayStatus;
  readonly policy_id: string | null;
  readonly taxonomy_id: string | null;
  readonly against: string;
  readonly diff: DiffTally;
  readonly refused: readonly RefusedRollouts[];
  /** New verdicts that it was given, those about what was not replayed among them (see `diff.verdicts`). Absent: none were wanted. */
  readonly verdicts?: number;
  /** null: nothing was to be emitted. */
  readonly emitted: EmittedCounts | null;
}

export interface EmittedCounts {
  readonly topic: string;
  readonly units: number;
  readonly trajectories: number;
  /** By reason: already_trained, stale, rejected … */
  readonly left_out: Readonly<Record<string, number>>;
}

/** Replays of a pipeline, in this process or of the server that owns the data. */
export interface Replays {
  /** Keeps verdicts for a replay that is started afterwards; asked again with the same ones it changes nothing. */
  addVerdicts(replayId: string, verdicts: readonly NewVerdictOf[]): Promise<void>;
  /** Begins a replay, or goes on with one that was cut off. It works on after the answer. */
  start(request: ReplayRequest): Promise<ReplayStatus>;
  /** RS_NOT_FOUND: nobody knows it. */
  status(replayId: string): Promise<ReplayStatus>;
  report(replayId: string): Promise<ReplayReport>;
  list(): Promise<ReplayStatus[]>;
  /** Resolves when it works no more. What is written stays, and is in no view of the latest. */
  cancel(replayId: string): Promise<ReplayStatus>;
  close(): Promise<void>;
}
