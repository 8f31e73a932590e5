import { isObject } from '../../../server/request-value.ts';
import { refused } from '../naming/checked-id.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of a small JSON body; what is absent is null. RS_USAGE names the field that is wrong. */
export function objectOf(value: unknown, field: string): Fields {
  if (isObject(value)) return value;
  throw refused(field, 'a JSON object is needed');
}

export function onlyFields(value: Fields, known: readonly string[]): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw refused(unknown, `there is no such field; known are ${known.join(', ')}`);
}

export function textAt(value: Fields, field: string): string | null {
  const found = value[field] ?? null;
  if (found === null || typeof found === 'string') return found;
  throw refused(field, 'a text is needed');
}

export function numberAt(value: Fields, field: string): number | null {
  const found = value[field] ?? null;
  if (found === null || typeof found === 'number') return found;
  throw refused(field, 'a number or null is needed');
}

export function countAt(value: Fields, field: string): number | null {
  const found = numberAt(value, field);
  if (found === null || (Number.isInteger(found) && found >= 0 && found < 2 ** 31)) return found;
  throw refused(field, 'a whole number from 0 on is needed');
}

export function arrayAt(value: Fields, field: string): readonly unknown[] {
  const found = value[field] ?? null;
  if (found === null) return [];
  if (Array.isArray(found)) return found;
  throw refused(field, 'an array is needed');
}
