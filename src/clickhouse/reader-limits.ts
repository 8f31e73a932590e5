/** What one statement of a user may take. */
export interface ReaderLimits {
  readonly timeMs: number;
  /** A larger result is refused, not cut. */
  readonly rows: number;
  readonly memoryBytes: number;
}

export const DEFAULT_READER_LIMITS: ReaderLimits = { timeMs: 60_000, rows: 1_000_000, memoryBytes: 2_000_000_000 };

/** A result is held as text before it is sent. */
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

/** The last one locks them all: with readonly = 1 no setting can be changed, that one included. */
export function readerSettings({ timeMs, rows, memoryBytes }: ReaderLimits) {
  return {
    max_execution_time: Math.ceil(timeMs / 1000),
    max_result_rows: String(rows),
    max_result_bytes: String(MAX_RESULT_BYTES),
    result_overflow_mode: 'throw',
    max_memory_usage: String(memoryBytes),
    max_threads: 2,
    readonly: '1',
  } as const;
}
