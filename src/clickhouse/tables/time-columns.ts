import { type Column, column } from '../encode-batch.ts';
import { asNullableMicros } from '../value-writers.ts';

export interface Times {
  readonly started_at?: number | null | undefined;
  readonly ended_at?: number | null | undefined;
}

/** The time that decides the partition of the table: the source's own, 1970 where it has none, never the clock. */
export function eventTimeColumn<Row>(timesOf: (row: Row) => Times): Column<Row> {
  return column('event_time', (w, row) => {
    const { started_at, ended_at } = timesOf(row);
    w.int64(started_at ?? ended_at ?? 0);
  });
}

export function timeColumns<Row>(timesOf: (row: Row) => Times): Column<Row>[] {
  return [
    eventTimeColumn(timesOf),
    column('started_at', (w, row) => asNullableMicros(w, timesOf(row).started_at)),
    column('ended_at', (w, row) => asNullableMicros(w, timesOf(row).ended_at)),
  ];
}
