import { isObject } from '../../server/request-value.ts';
import { RefusedRequest } from './asked.ts';

export type Body = Readonly<Record<string, unknown>>;

function refused(field: string, expected: string): RefusedRequest {
  return new RefusedRequest(400, 'BadRequestError', `${field}: expected ${expected}`);
}

/** null: not given. */
export function wholeField(body: Body, field: string, least: number): number | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
    throw refused(field, `a whole number from ${least} on`);
  return value;
}

export function flagField(body: Body, field: string): boolean {
  const value = body[field];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw refused(field, 'true or false');
  return value;
}

export function textField(body: Body, field: string): string | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw refused(field, 'text');
  return value;
}

export function textsField(body: Body, field: string): string[] {
  const value = body[field];
  if (value === undefined || value === null) return [];
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string')) throw refused(field, 'text, or a list of texts');
  return texts;
}

export function idsField(body: Body, field: string, has: (id: number) => boolean): number[] | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value)) throw refused(field, 'a list of token ids');
  return value.map((id) => {
    if (typeof id !== 'number' || !Number.isInteger(id) || !has(id))
      throw refused(field, `token ids of the vocabulary, got ${id}`);
    return id;
  });
}

export function objectField(body: Body, field: string): Body {
  const value = body[field];
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw refused(field, 'an object');
  return value;
}

/** One sample a request: another would need a script of its own. */
export function refuseSeveral(body: Body): void {
  if ((wholeField(body, 'n', 1) ?? 1) > 1) throw refused('n', '1: the scripted engine samples once a request');
}
