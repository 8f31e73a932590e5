import type { Row } from '../../api/row.ts';

/** Rows of JSON text; whole numbers that a double cannot hold keep their digits, as text, where the browser tells them. */
export function exactRows(json: string): Row[] {
  const rows: unknown = JSON.parse(json, (_key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? '';
    return /^-?\d+$/.test(source) ? source : value;
  });
  return Array.isArray(rows) ? rows : [];
}

/** Columns of rows in their order, and whether all that they hold are numbers. */
export function columnsOfResult(rows: readonly Row[]): Array<{ name: string; isNumber: boolean }> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    return { name, isNumber: values.length > 0 && values.every(isNumeric) };
  });
}

const MOST_DIGITS_OF_DOUBLE = 15;

function isNumeric(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && value.length > MOST_DIGITS_OF_DOUBLE && /^-?\d+$/.test(value);
}
