/** What happened, told by whoever did it. Counting must cost nothing a record: call it once a batch or a decision. */
export interface Recorder {
  recordsRead(partition: number, records: number, bytes: number): void;
  /** `reason`: the counted one, the first of why. */
  decided(disposition: string, category: string, reason?: string): void;
  stepFault(reason: string): void;
  deadLetter(stage: string, code: string): void;
  rowsInserted(table: string, rows: number): void;
  flushed(partition: number, seconds: number): void;
  /** Of a flush, the transaction alone. */
  transacted(partition: number, seconds: number): void;
  restored(partition: number, seconds: number): void;
  /** The group gave this process its lanes. */
  rebalanced(): void;
  /** Open attempts that the log has forgotten, and offsets of it that nobody had read. */
  lost(partition: number, attempts: number, records: number): void;
  bytesInFlight(bytes: number): void;
  /** This process changed the gate of a run. */
  gateChanged(state: string, by: string): void;
  /** By state: runs whose gate was ever changed. Told at each look of the evaluator, by whoever it is. */
  gateRuns(runs: ReadonlyMap<string, number>): void;
  /** A batch was granted: how long each trajectory stood on the ready topic, and how long the request waited. */
  granted(queueSeconds: readonly number[], waitSeconds: number): void;
  /** Trajectories came into this state of delivery; `takenSeconds`: since they were granted, where a batch was acked. */
  delivered(state: string, trajectories: number, takenSeconds: number | null): void;
  answered(route: string, httpStatus: number, seconds: number): void;
  /** A body of this route was read, or given up: `outcome` is ok, or the code of the error. */
  ingested(route: string, outcome: string, accepted: number, refused: number): void;
  /** Of one run in one body; null: of runs that the sender may not write to, whose names are not told. `limited`: the quota that ended it, or ''. */
  ingestedOfRun(run: string | null, counts: IngestedOfRun): void;
  /** Over all bodies that are being read. */
  ingestBytesInFlight(bytes: number): void;
}

export interface IngestedOfRun {
  readonly accepted: number;
  readonly refused: number;
  readonly limited: string;
}

/** Counts nothing. */
export const silentRecorder: Recorder = {
  recordsRead() {},
  decided() {},
  stepFault() {},
  deadLetter() {},
  rowsInserted() {},
  flushed() {},
  transacted() {},
  restored() {},
  rebalanced() {},
  lost() {},
  bytesInFlight() {},
  gateChanged() {},
  gateRuns() {},
  granted() {},
  delivered() {},
  answered() {},
  ingested() {},
  ingestedOfRun() {},
  ingestBytesInFlight() {},
};
