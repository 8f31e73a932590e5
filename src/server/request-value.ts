import { RollstreamError } from '../errors.ts';

/** Parts of a request, checked: RS_USAGE (400) names the field. */

export function wholeNumber(text: string | undefined, field: string, preset: number, max: number): number {
  if (text === undefined) return preset;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= max) return number;
  throw bad(field, `${field}: a whole number up to ${max} is needed`);
}

export function jsonObject(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body;
  throw bad('', 'the body must be a JSON object');
}

export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value === 'string') return value;
  throw bad(field, `${field}: text is needed`);
}

/** A name: text that is not empty, of a sane length, and could be written down again as it is. */
export function nameOf(body: Record<string, unknown>, field: string): string {
  const name = textOf(body, field);
  if (name !== '' && name.length <= MOST_NAME_CHARACTERS && name.isWellFormed()) return name;
  throw bad(field, `${field}: 1 to ${MOST_NAME_CHARACTERS} characters are needed, without lone surrogates`);
}

const MOST_NAME_CHARACTERS = 200;

/** A whole number of JSON: neither text nor 1.5. */
export function wholeOf(body: Record<string, unknown>, field: string, least: number, most: number): number {
  const value = body[field];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw bad(field, `${field}: a whole number from ${least} to ${most} is needed`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function bad(field: string, message: string): RollstreamError {
  return new RollstreamError('RS_USAGE', message, { facts: field === '' ? {} : { field } });
}
