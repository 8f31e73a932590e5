/** A row as the store answers it: text, numbers, booleans, null, lists. */
export type Row = Readonly<Record<string, unknown>>;

/** A number of a row; null where it is null or no number. */
export function numberOf(row: Row | undefined, name: string): number | null {
  const value = row?.[name];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : null;
}

/** Text of a row; empty where it is null. */
export function textOf(row: Row | undefined, name: string): string {
  const value = row?.[name];
  return value === null || value === undefined ? '' : String(value);
}
