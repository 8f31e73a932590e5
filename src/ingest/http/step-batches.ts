import type { FramedRecord } from '../../access/record-frames.ts';
import { RollstreamError } from '../../errors.ts';
import type { RecordBytes } from './read-step.ts';

/** Bytes of records that are appended together, those that they came from included: both are held until then. */
const BATCH_BYTES = 1536 * 1024;

export interface BatchedStep {
  readonly index: number;
  readonly run: string;
  readonly record: FramedRecord;
  readonly source: RecordBytes;
}

export interface StepBatches {
  /** Waits only while one batch is under way and the next is full. */
  add(step: BatchedStep): Promise<void>;
  /** Resolves when all that was added is durable. */
  flush(): Promise<void>;
  /** Records that are durable. */
  accepted(): number;
  /** Bytes that are not yet durable. */
  held(): number;
}

export interface StepBatchesDeps {
  /** Resolves when they are durable. */
  readonly append: (records: readonly FramedRecord[]) => Promise<void>;
  /** They are durable now. */
  readonly taken: (steps: readonly BatchedStep[]) => void;
  /** The log does not take records of this size. */
  readonly refuse: (step: BatchedStep, error: RollstreamError) => Promise<void>;
}

/** The records of one body, in order: one batch is made durable while the next is filled. */
export function createStepBatches({ append, taken, refuse }: StepBatchesDeps): StepBatches {
  let batch: BatchedStep[] = [];
  let bytes = 0;
  let accepted = 0;
  let bytesUnderWay = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function write(steps: readonly BatchedStep[]): Promise<void> {
    try {
      await append(steps.map(({ record }) => record));
      accepted += steps.length;
      taken(steps);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      // Nothing of it was written: one by one, so that a record that is too large is refused alone.
      const [first] = steps;
      if (first !== undefined && steps.length === 1) await refuse(first, error);
      else for (const step of steps) await write([step]);
    }
  }

  async function send(): Promise<void> {
    await underWay;
    if (batch.length === 0) return;
    bytesUnderWay = bytes;
    underWay = write(batch).then(() => {
      bytesUnderWay = 0;
    });
    // Its failure is thrown where it is awaited, not before.
    underWay.catch(() => undefined);
    batch = [];
    bytes = 0;
  }

  return {
    async add(step) {
      batch.push(step);
      bytes += step.record.value.length + step.source.length;
      if (bytes >= BATCH_BYTES) await send();
    },
    async flush() {
      await send();
      await underWay;
    },
    accepted: () => accepted,
    held: () => bytes + bytesUnderWay,
  };
}

function isTooLarge(error: unknown): error is RollstreamError {
  return error instanceof RollstreamError && error.code === 'RS_RECORD_TOO_LARGE';
}
