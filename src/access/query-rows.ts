import type { OutputFormat } from '../clickhouse/port.ts';

/** How a query prints. */
export const QUERY_FORMATS = ['table', 'json', 'jsonl', 'csv'] as const;
export type QueryFormat = (typeof QUERY_FORMATS)[number];

/** How rows travel: JSON Lines, or CSV with a line of names. */
export type RowsFormat = 'jsonl' | 'csv';

/** A table is drawn from CSV, where every value is still exact text. */
export function rowsFormatOf(format: QueryFormat): RowsFormat {
  return format === 'json' || format === 'jsonl' ? 'jsonl' : 'csv';
}

export function storeFormatOf(format: RowsFormat): OutputFormat {
  return format === 'jsonl' ? 'JSONEachRow' : 'CSVWithNames';
}

/** JSON Lines as one JSON array, without parsing: a number too large for a double keeps its digits. */
export function jsonArrayOf(lines: string): string {
  const rows = lines.split('\n').filter((line) => line !== '');
  return rows.length === 0 ? '[]\n' : `[${rows.join(',\n ')}]\n`;
}
