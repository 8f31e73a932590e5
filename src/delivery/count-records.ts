import type { LeaseRecord, ReadyState } from '../../processors/model/delivery.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { GrantsByLease } from './rows/grants-by-lease.ts';
import type { EntryOf } from './rows/rows-of-record.ts';

/** Counts what this process has granted and what came of it; told before the grants know of the record. */
export type CountRecords = (record: LeaseRecord, entryOf: EntryOf) => void;

const MS_A_SECOND = 1_000;

export function createCountRecords(
  recorder: Pick<Recorder, 'granted' | 'delivered'>,
  grants: Pick<GrantsByLease, 'of'>,
): CountRecords {
  return function countRecords(record, entryOf) {
    if (record.kind === 'grant') {
      // Again, with a later deadline.
      if (grants.of(record.lease) !== undefined) return;
      const ages = [...record.facts.keys()].flatMap((offset) => {
        const entry = entryOf(offset);
        return entry === undefined ? [] : [Math.max(0, record.grantedAtMs - entry.readyAtMs) / MS_A_SECOND];
      });
      recorder.granted(ages, record.waitedMs / MS_A_SECOND);
    } else if (record.kind === 'fact' || record.kind === 'seal' || record.kind === 'rewind') {
      const counts = new Map<ReadyState, number>();
      for (const { state } of record.facts.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
      const [first] = record.facts.values();
      const grant = first === undefined ? undefined : grants.of(first.lease);
      const taken = grant === undefined ? null : Math.max(0, record.at - grant.grantedAtMs) / MS_A_SECOND;
      for (const [state, count] of counts) recorder.delivered(state, count, state === 'trained' ? taken : null);
    }
  };
}
