import { ExactNumber, isObject, type JsonObject, type JsonValue } from './exact-number.ts';

/**
 * A record that cannot be taken. Thrown only inside an importer, which reads dozens of fields, and turned into a value at
 * its edge (importer.ts): beyond it, a refusal is data.
 */
export class Refused extends Error {
  readonly field: string;
  readonly expected: string;
  readonly got: string;

  constructor(field: string, expected: string, got: string, message = `expected ${expected}, got ${got}`) {
    super(message);
    this.field = field;
    this.expected = expected;
    this.got = got;
  }
}

type Field = JsonValue | undefined;

export function objectAt(value: Field, field: string): JsonObject {
  if (!isObject(value)) throw new Refused(field, 'an object', shown(value));
  return value;
}

/** null and absent are the same: the source has none. */
export function objectOrNull(value: Field, field: string): JsonObject | null {
  return value === undefined || value === null ? null : objectAt(value, field);
}

export function arrayAt(value: Field, field: string): JsonValue[] {
  if (!Array.isArray(value)) throw new Refused(field, 'an array', shown(value));
  return value;
}

export function arrayOrNull(value: Field, field: string): JsonValue[] | null {
  return value === undefined || value === null ? null : arrayAt(value, field);
}

export function textAt(value: Field, field: string): string {
  if (typeof value !== 'string') throw new Refused(field, 'a string', shown(value));
  return value;
}

export function textOrNull(value: Field, field: string): string | null {
  return value === undefined || value === null ? null : textAt(value, field);
}

export function booleanOr(value: Field, field: string, absent: boolean): boolean {
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'boolean') throw new Refused(field, 'true or false', shown(value));
  return value;
}

/** Ids are strings; a source that writes integers keeps all their digits. */
export function idOrNull(value: Field, field: string): string | null {
  if (value === undefined || value === null) return null;
  if (value === '') throw new Refused(field, 'an id', 'an empty string');
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (value instanceof ExactNumber && value.isInteger) return value.text;
  throw new Refused(field, 'an id: a string or an integer', shown(value));
}

/** A finite number or null. What is there but is neither a number nor null is refused; NaN is null, and told apart by `note`. */
export function rewardAt(value: Field, field: string): { reward: number | null; note: string | null } {
  if (value === undefined || value === null) return { reward: null, note: null };
  if (typeof value === 'number') return { reward: value, note: null };
  if (value instanceof ExactNumber) {
    return value.isInteger ? { reward: Number(value.text), note: null } : { reward: null, note: value.text };
  }
  throw new Refused(field, 'a number or null', shown(value));
}

/** A count, where it is one; anything else stays where it is, in extra_json. */
export function countOrNull(value: Field): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** A count that fits the 32 bits of a field. */
export function smallCountOrNull(value: Field): number | null {
  const count = countOrNull(value);
  return count !== null && count < 2 ** 31 ? count : null;
}

export function numberOrNull(value: Field): number | null {
  return typeof value === 'number' ? value : null;
}

/** A value as a message shows it: short, and never a whole document. */
export function shown(value: Field): string {
  if (value === undefined) return 'nothing';
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (isObject(value)) return 'an object';
  if (typeof value === 'string') {
    return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value);
  }
  return String(value);
}
