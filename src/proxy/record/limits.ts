const MIB = 1024 * 1024;

/** What a recording holds at most. */
export interface RecordLimits {
  /** Of an answer once unpacked. */
  readonly answerBytes: number;
  /** Of the file of a call: a larger one is not read. */
  readonly callBytes: number;
  /** Of an answer that cannot be read, so much is kept. */
  readonly keptBytes: number;
  /** Of what is known of open attempts, in memory. Files tell the rest. */
  readonly stateBytes: number;
  /** Attempts that have ended and are remembered, for verdicts and for calls that come late. */
  readonly endedAttempts: number;
  /** Calls of one attempt that gave no answer and may be made again. */
  readonly waitingCalls: number;
  /** Of events that wait for a server. */
  readonly spoolBytes: number;
}

export const RECORD_LIMITS: RecordLimits = {
  answerBytes: 128 * MIB,
  callBytes: 512 * MIB,
  keptBytes: MIB,
  stateBytes: 256 * MIB,
  endedAttempts: 20_000,
  waitingCalls: 64,
  spoolBytes: 4096 * MIB,
};

/** Of the heap of a recording's thread: far beyond what a call of the sizes above takes, since not every want of memory ends only it. */
export const THREAD_HEAP_MIB = 2048;
