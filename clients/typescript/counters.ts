/** What became of events, since the recorder was made. recorded = sent + refused + those that wait. */
export interface Counters {
  /** Handed to the operating system. */
  recorded: number;
  /** Answered by the server as durable. */
  sent: number;
  /** Answered by the server as unreadable: they are in its dead-letter. What it would not even read is in the spool, as refused. */
  refused: number;
  /** Never recorded: the spool was full, the disk refused, the recorder was closed, or a value could not be written. */
  lost: number;
  /** Events that processes which are no more had left behind, and which are sent now. */
  recovered: number;
  /** Requests that had to be made again. */
  retries: number;
  /** What went wrong last, whatever it was; null: nothing. */
  lastProblem: string | null;
}

export function newCounters(): Counters {
  return { recorded: 0, sent: 0, refused: 0, lost: 0, recovered: 0, retries: 0, lastProblem: null };
}
