import type { Dispatcher } from '../../../processors/delivery/dispatcher.ts';
import type { Fact } from '../../../processors/model/delivery.ts';
import { type DeliveryRows, noRows } from './delivery-rows.ts';
import { rowOf } from './rows-of-record.ts';

/** Rows of what a rewind has condemned since the last look at the run: it follows from the books, and no record says so. */
export type DiscardedRows = (dispatcher: Dispatcher, run: string, nowMs: number) => DeliveryRows;

export function createDiscardedRows(): DiscardedRows {
  const told = new Map<string, Set<number>>();
  return function discardedRows(dispatcher, run, nowMs) {
    const books = dispatcher.state.runs.get(run);
    if (books === undefined) return noRows();
    books.refresh(nowMs);
    const before = told.get(run);
    const now = new Set<number>();
    const by = { run, claim: dispatcher.claim, by: dispatcher.settings.name, seq: dispatcher.seq, at: nowMs };
    const rows = noRows();
    for (const [offset, state] of books.standing) {
      const entry = books.order.get(offset);
      if (state !== 'trainer_rejected' || books.fact(offset).state === state || entry === undefined) continue;
      now.add(offset);
      if (before?.has(offset)) continue;
      const fact: Fact = { ...books.fact(offset), state, lease: '', step: 0 };
      // Behind the last record that counts, and before the next.
      rows.deliveries.push({ ...rowOf(by, entry, fact, undefined), endedAtMs: nowMs });
    }
    if (now.size > 0) told.set(run, now);
    else told.delete(run);
    return rows;
  };
}
