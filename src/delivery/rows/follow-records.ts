import type { LeaseRecord } from '../../../processors/model/delivery.ts';
import type { GrantsByLease } from './grants-by-lease.ts';
import type { RowBatcher } from './row-batcher.ts';
import { createRowsOfRecord, type EntryOf } from './rows-of-record.ts';

/** Rows of each record that counts, in order. */
export interface FollowRecords {
  applied(record: LeaseRecord, entryOf: EntryOf): void;
  /** All entries are known now that the records before name. */
  caughtUp(): void;
}

/**
 * TAKEN OVER, FIRST THE ENTRIES. 1 An entry is granted before its chunk is written; 2 death; 3 the successor reads the grant, and
 * would know its trajectories only once it has read the tail of ready.
 */
export function createFollowRecords(rows: RowBatcher, grants: GrantsByLease): FollowRecords {
  const rowsOf = createRowsOfRecord(grants);
  let early: Array<readonly [LeaseRecord, EntryOf]> | null = [];
  return {
    applied(record, entryOf) {
      if (early === null) rows.add(rowsOf(record, entryOf));
      else early.push([record, entryOf]);
    },
    caughtUp() {
      const before = early ?? [];
      early = null;
      for (const [record, entryOf] of before) rows.add(rowsOf(record, entryOf));
    },
  };
}
