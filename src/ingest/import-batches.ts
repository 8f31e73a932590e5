import { unitOf } from '../../processors/model/unit.ts';
import type { StepEventInit } from '../../schemas/generated/step-event.ts';
import type { ImportSink, KeyedEvent } from './import-sink.ts';

/** Bytes of source lines in a batch; events are smaller than the JSON they came from. */
const BATCH_BYTES = 1024 * 1024;

export interface ImportBatches {
  /** Takes the events of one record. Waits only while two batches are under way. */
  add(events: readonly StepEventInit[], recordBytes: number): Promise<void>;
  /** Resolves when all events added so far are durable. */
  flush(): Promise<void>;
}

/** Batches by size, one being made durable while the next is filled. */
export function createImportBatches(sink: Pick<ImportSink, 'append'>): ImportBatches {
  let batch: KeyedEvent[] = [];
  let bytes = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function send(): Promise<void> {
    await underWay;
    if (batch.length === 0) return;
    underWay = sink.append(batch);
    // Its failure is thrown where it is awaited, not before.
    underWay.catch(() => {});
    batch = [];
    bytes = 0;
  }

  return {
    async add(events, recordBytes) {
      for (const event of events) batch.push({ key: keyOf(event), event });
      bytes += recordBytes;
      if (bytes >= BATCH_BYTES) await send();
    },
    async flush() {
      await send();
      await underWay;
    },
  };
}

function keyOf(event: StepEventInit): string {
  const { run_id, epoch = 0, group_id = null, rollout_id } = event;
  return unitOf({ run_id, epoch, group_id, rollout_id });
}
