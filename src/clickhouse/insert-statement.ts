import type { InsertBatch } from './port.ts';
import { sqlName } from './sql-string.ts';

/** `INSERT INTO rollstream.t (…)`, without where the rows come from. */
export function insertStatement({ table, columns }: InsertBatch): string {
  return `INSERT INTO rollstream.${sqlName(table)} (${columns.map(sqlName).join(', ')})`;
}
