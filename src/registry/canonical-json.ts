import type { Schema } from 'avsc';

/** Two schemas are the same if their JSON is, whatever the order of the keys. */
export function canonicalJson(schema: Schema): string {
  return JSON.stringify(schema, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
