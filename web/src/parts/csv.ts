import type { Row } from '../api/row.ts';

/** RFC 4180: null is an empty field, an empty text is "", lists are JSON. */
export function csvOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names.map(quoted), ...rows.map((row) => names.map((name) => field(row[name])))];
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('');
}

function field(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return quoted(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
