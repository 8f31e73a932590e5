/**
 * JSON of a record's fields that have no column of their own; '' when nothing was said. Null fields are left out (null is
 * what absent means in the schemas). Numbers that JSON cannot hold become strings: "NaN", "Infinity", "-Infinity", "-0".
 */
export function exactJson(fields: Readonly<Record<string, unknown>>): string {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && !isEmpty(value));
  return kept.length === 0 ? '' : JSON.stringify(Object.fromEntries(kept), exactNumber);
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function exactNumber(_key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}
