/** Reads JSON whose shape a test states: the wrong shape throws, naming what was expected. */
export type JsonObject = { readonly [key: string]: unknown };

export function objectOf(value: unknown): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object');
  return Object.fromEntries(Object.entries(value));
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not an array');
  return value;
}

export function objectsOf(value: unknown): JsonObject[] {
  return listOf(value).map(objectOf);
}

export function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return objectOf(value);
}
