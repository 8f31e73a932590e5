import { readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../config/package-file.ts';

/** What the migrations say of a table: the types of its columns, in order, and the key that one row is kept of. */
export interface TableShape {
  readonly types: ReadonlyMap<string, string>;
  readonly key: readonly string[];
}

/** Tables by name, read from the migrations that the real store runs. */
export function readTableShapes(): Map<string, TableShape> {
  const shapes = new Map<string, { types: Map<string, string>; key: string[] }>();
  const columnsOf = (table: string) => shapes.get(table)?.types ?? new Map<string, string>();
  const folder = packageFile('infra', 'clickhouse', 'migrations');
  let name = '';
  let types = new Map<string, string>();
  for (const file of readdirSync(folder).sort()) {
    for (const line of readFileSync(`${folder}/${file}`, 'utf8').split('\n')) {
      const table = /^CREATE TABLE IF NOT EXISTS rollstream\.(\w+) \($/.exec(line)?.[1];
      const altered = /^ALTER TABLE rollstream\.(\w+)$/.exec(line)?.[1];
      const [, column, type] =
        /^ {2}(?:ADD COLUMN IF NOT EXISTS )?`([^`]+)` (.+?)(?: (?:DEFAULT|COMMENT|CODEC)\b.*)?[,;]?$/.exec(line) ?? [];
      const key = /^ORDER BY \((.*)\)$/.exec(line)?.[1];
      if (table !== undefined) [name, types] = [table, new Map()];
      else if (altered !== undefined) types = columnsOf(altered);
      else if (column !== undefined && type !== undefined) types.set(column, type);
      else if (key !== undefined)
        shapes.set(name, { types, key: key.split(', ').map((part) => part.replaceAll('`', '')) });
    }
  }
  return shapes;
}
