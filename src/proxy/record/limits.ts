const MIB = 1024 * 1024;

/** What a recording holds at most. */
export interface RecordLimits {
  /** Of an answer once unpacked. */
  readonly answerBytes: number;
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
  answerBytes: 256 * MIB,
  keptBytes: MIB,
  stateBytes: 256 * MIB,
  endedAttempts: 20_000,
  waitingCalls: 64,
  spoolBytes: 4096 * MIB,
};
