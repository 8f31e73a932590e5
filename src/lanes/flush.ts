import type { Cut } from '../../processors/cut/cut.ts';
import type { TransactionalProducer } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeLanes } from '../clickhouse/tables/lanes.ts';
import type { Recorder } from '../observe/recorder.ts';
import { commitOf, type LaneName } from './commit-metadata.ts';
import { encodeRows } from './encode-rows.ts';
import type { EncodeRecords } from './out-records.ts';
import type { RetryOutage } from './retry-outage.ts';

export interface FlushDeps {
  readonly name: LaneName;
  readonly term: number;
  readonly store: Store;
  readonly producer: TransactionalProducer;
  readonly encodeRecords: EncodeRecords;
  readonly recorder: Recorder;
  readonly outage: RetryOutage;
}

/**
 * Writes one cut: rows ▸ the lanes row ▸ one transaction of records, offset and metadata.
 *
 * | dies                          | found after the restart                                                        |
 * |-------------------------------|--------------------------------------------------------------------------------|
 * | before the first row          | nothing; everything is read again                                              |
 * | between two rows              | rows of a term whose successor decides the same again, under a higher version  |
 * | after the rows                | the same; nothing was produced, so nothing is produced twice                   |
 * | in the transaction            | all of it or none of it                                                        |
 * | after the transaction         | the cut, whole                                                                 |
 *
 * INSERT, THEN COMMIT. The other way: 1 commit; 2 death: nothing re-reads what the rows came from.
 * THE LANES ROW LAST. First: 1 lanes row, frontier 20; 2 death: counts below 20 lack attempts and decisions.
 */
export function createFlush({
  name,
  term,
  store,
  producer,
  encodeRecords,
  recorder,
  outage,
}: FlushDeps): (cut: Cut) => Promise<void> {
  const owner = { topic: name.topic, term };
  return async function flush({ effects, progress, open }) {
    const lanesRow = { partition: name.partition, frontier: progress.frontier, watermark: progress.watermark, open };
    for (const batch of [...encodeRows(effects.rows, owner), encodeLanes([lanesRow], owner)]) {
      // The same bytes again: keys and versions make an insert of unknown outcome safe to repeat.
      await outage(`insert into ${batch.table}`, () => store.insert(batch));
      recorder.rowsInserted(batch.table, batch.rowCount);
    }
    const { records, commit } = commitOf(name, progress);
    await producer.run({ records: [...encodeRecords(effects.records), ...records], commit });
    for (const { disposition, category } of effects.rows.decisions) recorder.decided(disposition, category);
    for (const { reason } of effects.rows.step_faults) recorder.stepFault(reason);
    for (const { fault } of effects.rows.dead_letters) recorder.deadLetter(fault.stage, fault.code);
  };
}
