/** What happened, told by whoever did it. Counting must cost nothing a record: call it once a batch or a decision. */
export interface Recorder {
  recordsRead(partition: number, records: number, bytes: number): void;
  decided(disposition: string, category: string): void;
  stepFault(reason: string): void;
  deadLetter(stage: string, code: string): void;
  rowsInserted(table: string, rows: number): void;
  flushed(partition: number, seconds: number): void;
  restored(partition: number, seconds: number): void;
  bytesInFlight(bytes: number): void;
  answered(route: string, httpStatus: number, seconds: number): void;
}

/** Counts nothing. */
export const silentRecorder: Recorder = {
  recordsRead() {},
  decided() {},
  stepFault() {},
  deadLetter() {},
  rowsInserted() {},
  flushed() {},
  restored() {},
  bytesInFlight() {},
  answered() {},
};
