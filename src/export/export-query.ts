import type { Readable } from 'node:stream';

/** What an export is: the whole as the engine's own file, a line a trajectory, or a conversation a line. */
export const EXPORT_FORMATS = ['parquet', 'jsonl', 'messages'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportQuery {
  readonly runId: string;
  readonly format: ExportFormat;
  /** Everything that was decided, not only what is ready. */
  readonly all: boolean;
}

/** One run as the content of a file. */
export interface Exported {
  /** Trajectories in it, counted before it is written. */
  readonly trajectories: number;
  /** Decided attempts of the scope that have no trajectory: superseded ones. */
  readonly without: number;
  /** Parquet, or lines. Of messages a line `{"left_out": …}` names each rollout that is no conversation; it is no data. */
  readonly bytes: Readable;
}

/** Of a rollout that messages cannot express. */
export interface LeftOut {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly reason: string;
}

/** Begins the lines that are no data. */
export const LEFT_OUT_PREFIX = '{"left_out":';
