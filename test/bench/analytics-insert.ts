/** Column by column what a table takes from the shape: an INSERT that computes the rows where they are stored. */
export type Columns = Readonly<Record<string, string>>;

/** `from`: where the columns come from, with joins and conditions. */
export function insertSql(table: string, columns: Columns, from: string): string {
  const names = Object.keys(columns).map((name) => `\`${name}\``);
  const values = Object.entries(columns).map(([name, value]) => `${value} AS \`to_${name}\``);
  return `INSERT INTO rollstream.${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${from} SETTINGS max_insert_threads = 2, optimize_on_insert = 0`;
}

/** Where `shapeOf` is kept while its rows are written. */
export const SHAPE = 'analytics_bench.shape';
