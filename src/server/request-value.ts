import type { Context } from 'hono';
import { RollstreamError } from '../errors.ts';

/** Parts of a request, checked: RS_USAGE (400) names the field. */

export function wholeNumber(text: string | undefined, field: string, preset: number, max: number): number {
  if (text === undefined) return preset;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= max) return number;
  throw bad(field, `${field}: a whole number up to ${max} is needed`);
}

/** A body that is a JSON object; of a key that comes twice the last counts. */
export async function jsonBody(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => null);
  if (isObject(body)) return body;
  throw bad('', 'the body must be a JSON object');
}

/** Refuses a misspelt field, which would otherwise be a wish that nobody hears. */
export function onlyFields(body: Record<string, unknown>, fields: readonly string[], within = ''): void {
  const unknown = Object.keys(body).find((key) => !fields.includes(key));
  if (unknown === undefined) return;
  const field = `${within}${unknown.slice(0, MOST_NAME_CHARACTERS)}`;
  throw bad(field, `${field}: not known; ${fields.join(', ')} are`);
}

export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === 'string') return value;
  throw bad(field, `${field}: text is needed`);
}

/** A name: text that is not empty, of a sane length, and could be written down again as it is. */
export function nameOf(body: Record<string, unknown>, field: string): string {
  return checkedName(textOf(body, field), field);
}

export function checkedName(name: string, field: string): string {
  if (name !== '' && name.length <= MOST_NAME_CHARACTERS && name.isWellFormed()) return name;
  throw bad(field, `${field}: 1 to ${MOST_NAME_CHARACTERS} characters are needed, without lone surrogates`);
}

const MOST_NAME_CHARACTERS = 200;

/** A whole number of JSON: neither text nor 1.5. */
export function wholeOf(body: Record<string, unknown>, field: string, least: number, most: number): number {
  const value = body[field];
  // -0 is 0 to everybody but a Map.
  if (isWhole(value, least, most)) return value === 0 ? 0 : value;
  throw bad(field, `${field}: a whole number from ${least} to ${most} is needed`);
}

/** What was left out, or is null, is null. */
export function optional<Value>(
  body: Record<string, unknown>,
  field: string,
  read: (body: Record<string, unknown>, field: string) => Value,
): Value | null {
  return isGiven(body, field) ? read(body, field) : null;
}

export function isGiven(body: Record<string, unknown>, field: string): boolean {
  return body[field] !== undefined && body[field] !== null;
}

export function isWhole(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function bad(field: string, message: string): RollstreamError {
  return new RollstreamError('RS_USAGE', message, { facts: field === '' ? {} : { field } });
}
