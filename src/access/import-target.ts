import type { Schema } from 'avsc';
import type { Accounting } from '../clickhouse/accounting.ts';
import type { ClosedState } from '../runs/run-state.ts';
import type { FramedRecord } from './record-frames.ts';

/** Where an import goes: the log of this process, or that of a server. Paths never travel, only records do. */
export interface ImportTarget {
  /** Id of the schema that the records are written with. */
  register(subject: string, schema: Schema): Promise<number>;
  /** Onto rollout.steps; resolves once they are durable. RS_RUN_CLOSED: none of them is. */
  appendSteps(records: readonly FramedRecord[]): Promise<void>;
  /** Onto rollout.dead-letter. */
  appendDeadLetters(records: readonly FramedRecord[]): Promise<void>;
  /** What the producer left open may be closed: an event to every partition. */
  appendToEveryPartition(record: FramedRecord): Promise<void>;
  /** Resolves when the lanes have committed all that was appended before. */
  drained(): Promise<void>;
  /** Runs that take nothing more, and why: what is refused before it is sent. */
  closedRuns(): Promise<ReadonlyMap<string, ClosedState>>;
  accounting(runId: string | null): Promise<Accounting>;
}
