import type { InsertBatch, Store } from '../../clickhouse/port.ts';
import { encodeDeliveries } from '../../clickhouse/tables/deliveries.ts';
import { encodeDeliveryLeases } from '../../clickhouse/tables/delivery-leases.ts';
import { encodeLineages } from '../../clickhouse/tables/lineages.ts';
import { encodeTrainMatch } from '../../clickhouse/tables/train-match.ts';
import type { RetryOutage } from '../../lanes/retry-outage.ts';
import { type GoneRuns, NO_GONE_RUNS } from '../gone-runs.ts';
import type { Alarm } from '../waiting/alarm.ts';
import { type DeliveryRows, noRows, rowCount } from './delivery-rows.ts';
import { withoutGone } from './without-gone.ts';

/** Rows on their way to the store: it never holds up an answer, but for too many that wait. */
export interface RowBatcher {
  add(rows: DeliveryRows): void;
  /** Back-pressure: resolves once fewer than the limit wait. */
  room(): Promise<void>;
  /** Resolves once all that were added before are in the store. */
  flushed(): Promise<void>;
  /** Rejects when the store refuses rows: they would be refused again. */
  readonly failed: Promise<never>;
}

export interface BatcherDeps {
  readonly store: Pick<Store, 'insert'>;
  readonly outage: RetryOutage;
  readonly alarm: Alarm;
  /** Absent: no run is ever deleted. */
  readonly gone?: GoneRuns;
  readonly inserted: (table: string, rows: number) => void;
}

const FLUSH_MS = 250;
/** Between two flushes while rows keep coming: an insert costs 20 ms of CPU however few rows it has, and a part to merge. */
const AGAIN_MS = 1_000;
const MOST_PENDING = 50_000;

export function createRowBatcher({ store, outage, alarm, gone = NO_GONE_RUNS, inserted }: BatcherDeps): RowBatcher {
  let pending = noRows();
  let pendingCount = 0;
  /** Of the rows that are being inserted. */
  let sentCount = 0;
  let sending: Promise<void> | null = null;
  let isRung = false;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Whoever looks at it late must not end the process by that.
  failed.catch(() => undefined);

  const send = async (all: DeliveryRows): Promise<void> => {
    const rows = withoutGone(all, gone);
    const batches: InsertBatch[] = [];
    if (rows.deliveries.length > 0) batches.push(encodeDeliveries(rows.deliveries));
    if (rows.leases.length > 0) batches.push(encodeDeliveryLeases(rows.leases));
    if (rows.lineages.length > 0) batches.push(encodeLineages(rows.lineages));
    if (rows.matches.length > 0) batches.push(encodeTrainMatch(rows.matches));
    for (const batch of batches) {
      await outage(`inserting into ${batch.table}`, () => store.insert(batch));
      inserted(batch.table, batch.rowCount);
    }
  };

  const drain = async (): Promise<void> => {
    const rows = pending;
    [pending, sentCount, pendingCount] = [noRows(), pendingCount, 0];
    await send(rows);
    sentCount = 0;
  };

  const begin = (): Promise<void> => {
    sending ??= drain()
      .then(() => {
        if (pendingCount > 0) ringAfter(AGAIN_MS);
      })
      .finally(() => {
        sending = null;
      });
    sending.catch(fail);
    return sending;
  };

  const ringAfter = (ms: number): void => {
    if (isRung) return;
    isRung = true;
    alarm(ms, () => {
      isRung = false;
      begin().catch(() => undefined);
    });
  };

  return {
    failed,
    add(rows) {
      const count = rowCount(rows);
      if (count === 0) return;
      // One by one: a fork may have more than a call can have arguments.
      for (const row of rows.deliveries) pending.deliveries.push(row);
      for (const row of rows.leases) pending.leases.push(row);
      for (const row of rows.lineages) pending.lineages.push(row);
      for (const row of rows.matches) pending.matches.push(row);
      pendingCount += count;
      if (sending === null) ringAfter(FLUSH_MS);
    },
    async room() {
      while (pendingCount + sentCount >= MOST_PENDING) await begin();
    },
    async flushed() {
      while (pendingCount + sentCount > 0) await begin();
    },
  };
}
