import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { rowsFormatOf } from '../../access/query-rows.ts';
import type { QueryParams } from '../../clickhouse/port.ts';
import { bad, isObject, jsonBody, textOf } from '../request-value.ts';
import { rowsFormatAsked, rowsResponse } from '../rows-response.ts';

/** Of a list that is a parameter. */
const MOST_ITEMS = 10_000;

/** `POST /v1/query {sql, params?, format?: json|jsonl|csv}`: a user's SELECT, on a connection that can only read. */
export function queryRoutes({ access }: { readonly access: Access }): Hono {
  return new Hono().post('/query', async (c) => {
    const body = await jsonBody(c);
    const format = rowsFormatAsked(body.format);
    const text = await access.query(textOf(body, 'sql'), rowsFormatOf(format), paramsOf(body.params));
    return rowsResponse(text, format);
  });
}

function paramsOf(value: unknown): QueryParams {
  if (value === undefined) return {};
  if (!isObject(value)) throw bad('params', 'params: an object of text, numbers and lists of them');
  return Object.fromEntries(Object.entries(value).map(([name, param]) => [name, paramOf(name, param)]));
}

function paramOf(name: string, param: unknown): QueryParams[string] {
  if (param === null || typeof param === 'string' || typeof param === 'number' || typeof param === 'boolean')
    return param;
  if (!Array.isArray(param))
    throw bad(`params.${name}`, `params.${name}: text, a number, true, false, null, or a list of text or of numbers`);
  const items: readonly unknown[] = param;
  if (items.length > MOST_ITEMS) throw bad(`params.${name}`, `params.${name}: at most ${MOST_ITEMS} items`);
  if (items.every(isText)) return items;
  if (items.every(isNumber)) return items;
  throw bad(`params.${name}`, `params.${name}: a list holds text, or numbers`);
}

function isText(item: unknown): item is string {
  return typeof item === 'string';
}

function isNumber(item: unknown): item is number {
  return typeof item === 'number';
}
