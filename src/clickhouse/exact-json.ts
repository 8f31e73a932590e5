/**
 * JSON of a record's fields that have no column of their own, those named in `without` left out; '' when nothing was said.
 * Null fields are left out (null is what absent means in the schemas). Numbers that JSON cannot hold become strings: "NaN",
 * "Infinity", "-Infinity", "-0".
 */
export function exactJson(fields: object, without: ReadonlySet<string> = NONE): string {
  const kept: Record<string, unknown> = {};
  let isEmpty = true;
  let isOdd = false;
  for (const [key, value] of Object.entries(fields)) {
    if (without.has(key) || isNothing(value)) continue;
    kept[key] = value;
    isEmpty = false;
    isOdd ||= holdsOddNumber(value);
  }
  if (isEmpty) return '';
  // A replacer is called for every value: most rows need none.
  return isOdd ? JSON.stringify(kept, exactNumber) : JSON.stringify(kept);
}

const NONE: ReadonlySet<string> = new Set();

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  for (const _key in value) return false;
  return true;
}

function holdsOddNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || Object.is(value, -0);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsOddNumber);
}

function exactNumber(_key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}
