import type { Cut } from '../../processors/cut/cut.ts';
import type { BlobStore, NewBlob } from '../blobs/blob-store.ts';
import type { TransactionalProducer } from '../broker/port.ts';
import type { InsertBatch, Store } from '../clickhouse/port.ts';
import { encodeAudits } from '../clickhouse/tables/audits.ts';
import { encodeLanes } from '../clickhouse/tables/lanes.ts';
import type { Recorder } from '../observe/recorder.ts';
import { commitOf, type LaneName } from './commit-metadata.ts';
import type { Outbox } from './outbox.ts';
import { isOutage, type RetryOutage } from './retry-outage.ts';

export interface FlushDeps {
  readonly name: LaneName;
  readonly term: number;
  readonly store: Store;
  /** null: nothing refers to a blob. */
  readonly blobs: BlobStore | null;
  readonly producer: TransactionalProducer;
  /** Holds what was folded since the last cut, but for the effects that the cut itself brings. */
  readonly outbox: Outbox;
  readonly recorder: Recorder;
  readonly outage: RetryOutage;
}

/**
 * Writes one cut: blobs ▸ rows ▸ the lanes row ▸ one transaction of records, offset and metadata.
 *
 * | dies                          | found after the restart                                                        |
 * |-------------------------------|--------------------------------------------------------------------------------|
 * | among the blobs               | blobs that nothing names yet, and that are written again, the same bytes       |
 * | before the first row          | nothing; everything is read again                                              |
 * | among the rows                | rows of a term whose successor decides the same again, under a higher version  |
 * | after the rows                | the same; nothing was produced, so nothing is produced twice                   |
 * | in the transaction            | all of it or none of it                                                        |
 * | after the transaction         | the cut, whole                                                                 |
 *
 * BLOBS FIRST. After the rows, or the commit: 1 the record is read; 2 its blob was never written: it is undeliverable for good.
 * INSERT, THEN COMMIT. The other way: 1 commit; 2 death: nothing re-reads what the rows came from.
 * THE LANES ROW LAST. First: 1 lanes row, frontier 20; 2 death: counts below 20 lack attempts and decisions.
 */
export function createFlush({
  name,
  term,
  store,
  blobs,
  producer,
  outbox,
  recorder,
  outage,
}: FlushDeps): (cut: Cut) => Promise<void> {
  const owner = { topic: name.topic, term };
  /** One after the other: they are few, and large. */
  async function putAll(wanted: readonly NewBlob[]): Promise<void> {
    if (wanted.length === 0) return;
    if (blobs === null) throw new Error('bug: a record refers to a blob, and there is no folder for it');
    for (const blob of wanted) await outage('writing a blob', () => blobs.put(blob));
  }

  /** Side by side: an insert is mostly waiting for its disk, whatever its size. */
  async function insertAll(batches: readonly InsertBatch[]): Promise<void> {
    let left = batches;
    await outage('inserting rows', async () => {
      const results = await Promise.allSettled(left.map((batch) => store.insert(batch)));
      const isDone = (_: InsertBatch, i: number) => results[i]?.status === 'fulfilled';
      for (const { table, rowCount } of left.filter(isDone)) recorder.rowsInserted(table, rowCount);
      // The same bytes again: keys and versions make an insert of unknown outcome safe to repeat.
      left = left.filter((batch, i) => !isDone(batch, i));
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      if (left.length > 0) throw reasons.find((reason) => !isOutage(reason)) ?? reasons[0];
    });
  }

  return async function flush({ effects, progress, open }) {
    outbox.add(effects);
    // Now, before anything is awaited: what is folded from here on belongs to the next cut.
    const outgoing = outbox.take();
    const lanesRow = { partition: name.partition, frontier: progress.frontier, watermark: progress.watermark, open };
    // Before the commit, so that no death between loses one: nothing would ever make it again.
    const late = (await Promise.all(outgoing.late)).flat();
    await putAll(outgoing.blobs);
    await insertAll(late.length === 0 ? outgoing.batches : [...outgoing.batches, encodeAudits(late, owner)]);
    await insertAll([encodeLanes([lanesRow], owner)]);
    const { records, commit } = commitOf(name, progress);
    const began = performance.now();
    await producer.run({ records: [...outgoing.records, ...records], commit });
    recorder.transacted(name.partition, (performance.now() - began) / 1000);
    outgoing.count(recorder);
  };
}
