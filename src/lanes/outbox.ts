import type { AuditRow, Effects } from '../../processors/model/effects.ts';
import type { NewBlob } from '../blobs/blob-store.ts';
import type { Transaction } from '../broker/port.ts';
import type { Owner } from '../clickhouse/encode-batch.ts';
import type { InsertBatch } from '../clickhouse/port.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createRowEncoder } from './encode-rows.ts';
import type { EncodeRecords } from './out-records.ts';
import { trajectoryRows } from './trajectory-rows.ts';

/** What one flush writes, as bytes. */
export interface Outgoing {
  readonly batches: readonly InsertBatch[];
  readonly records: Transaction['records'];
  /** What rows and records refer to. */
  readonly blobs: readonly NewBlob[];
  /** Rows of audits that were not over when their attempts were decided. */
  readonly late: ReadonlyArray<Promise<readonly AuditRow[]>>;
  /** Counts what became of the attempts; for after the commit. */
  readonly count: (recorder: Recorder) => void;
}

/**
 * What was folded and is not flushed. Encoded as soon as it is folded, so that decoded events live no longer than their batch:
 * kept until the flush they would grow old, and the collector would mark all of them again and again.
 */
export interface Outbox {
  /** `late`: rows of it that are still to come, and that its flush waits for. */
  add(effects: Effects, late?: ReadonlyArray<Promise<readonly AuditRow[]>>): void;
  take(): Outgoing;
}

export function createOutbox(owner: Owner, encodeRecords: EncodeRecords): Outbox {
  const rows = createRowEncoder(owner);
  let records: Array<Transaction['records'][number]> = [];
  let blobs: NewBlob[] = [];
  let late: Array<Promise<readonly AuditRow[]>> = [];
  let counts: Array<(recorder: Recorder) => void> = [];
  return {
    add(effects, comingRows = []) {
      late.push(...comingRows);
      const encoded = encodeRecords(effects.records);
      rows.append({ ...effects.rows, trajectories: trajectoryRows(effects.rows.trajectories, encoded.refs) });
      for (const record of encoded.records) records.push(record);
      blobs.push(...encoded.blobs);
      for (const { disposition, category, why } of effects.rows.decisions)
        counts.push((recorder) => recorder.decided(disposition, category, why[0]));
      for (const { reason } of effects.rows.step_faults) counts.push((recorder) => recorder.stepFault(reason));
      for (const { fault } of effects.rows.dead_letters)
        counts.push((recorder) => recorder.deadLetter(fault.stage, fault.code));
    },
    take() {
      const taken = counts;
      const takenLate = late;
      late = [];
      const outgoing = {
        batches: rows.take(),
        records,
        blobs,
        late: takenLate,
        count: (recorder: Recorder) => {
          for (const count of taken) count(recorder);
        },
      };
      records = [];
      blobs = [];
      counts = [];
      return outgoing;
    },
  };
}
