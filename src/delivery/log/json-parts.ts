/** Parts of a JSON value, checked. */
export class Malformed extends Error {
  constructor(expected: string, got: unknown) {
    super(`${expected} is needed, not ${short(got)}`);
    this.name = 'Malformed';
  }
}

export function wholeOf(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Malformed('a whole number', value);
}

export function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new Malformed('a number', value);
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Malformed('text', value);
}

export function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Malformed('true or false', value);
}

export function oneOf<T extends string>(choices: readonly T[], value: unknown): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new Malformed(`one of ${choices.join(', ')}`, value);
}

export function orNull<T>(read: (value: unknown) => T, value: unknown): T | null {
  return value === null ? null : read(value);
}

export function listOf<T>(read: (value: unknown) => T, value: unknown): T[] {
  if (Array.isArray(value)) return value.map((one: unknown) => read(one));
  throw new Malformed('a list', value);
}

/** A list of exactly so many parts, each of its own kind. */
export function rowOf(length: number, value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length === length) return value;
  throw new Malformed(`a list of ${length}`, value);
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new Malformed('an object', value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
