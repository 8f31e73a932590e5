import { Hono } from 'hono';
import type { Access } from '../../access/access.ts';
import { rowsFormatOf } from '../../access/query-rows.ts';
import type { QueryParams } from '../../clickhouse/port.ts';
import { bad, isObject, jsonBody, textOf } from '../request-value.ts';
import { rowsFormatAsked, rowsResponse } from '../rows-response.ts';
import type { TakeTurns } from '../take-turns.ts';

export interface QueryRouteDeps {
  readonly access: Pick<Access, 'query'>;
  /** Of all that ask for rows: the store answers few at once, and what it has begun runs to its end. */
  readonly takeTurns: TakeTurns;
}

/** Of a list that is a parameter. */
const MOST_ITEMS = 10_000;

/** `POST /v1/query {sql, params?, format?: json|jsonl|csv}`: a user's SELECT, on a connection that can only read. */
export function queryRoutes({ access, takeTurns }: QueryRouteDeps): Hono {
  return new Hono().post('/query', async (c) => {
    const body = await jsonBody(c);
    const format = rowsFormatAsked(body.format);
    const [sql, params] = [textOf(body, 'sql'), paramsOf(body.params)];
    const text = await takeTurns(c.req.raw.signal, () => access.query(sql, rowsFormatOf(format), params));
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
