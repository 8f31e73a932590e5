import type { Store } from '../clickhouse/port.ts';

/** A table or view of the store, as the engine knows it after the migrations. */
export interface DescribedTable {
  readonly name: string;
  readonly engine: string;
  readonly comment: string;
  /** Columns that its rows are sorted and known by; empty: a view. */
  readonly sorting_key: string;
  /** Of a view empty: they are those of what it reads. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string; readonly comment: string }>;
}

export function describedTables(store: Pick<Store, 'query'>): Promise<DescribedTable[]> {
  return store.query<DescribedTable>(`
    SELECT t.name AS name, t.engine AS engine, t.comment AS comment, t.sorting_key AS sorting_key, c.columns AS columns
    FROM system.tables AS t
    LEFT JOIN (
      SELECT table, arraySort(x -> x.4, groupArray(CAST((name, type, comment, position), 'Tuple(name String, type String, comment String, position UInt64)'))) AS columns
      FROM system.columns WHERE database = 'rollstream' AND table NOT IN (SELECT name FROM system.tables WHERE database = 'rollstream' AND engine = 'View')
      GROUP BY table
    ) AS c ON c.table = t.name
    WHERE t.database = 'rollstream'
    ORDER BY t.engine = 'View', t.name`);
}
