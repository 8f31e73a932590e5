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
  /** Parquet, or lines. A line `{"left_out": …}` names an attempt that the format cannot express; it is no data. */
  readonly bytes: Readable;
}
