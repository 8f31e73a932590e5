import { Hono } from 'hono';
import { askedWith, namedQueries } from '../../access/named-queries.ts';
import { rowsFormatOf } from '../../access/query-rows.ts';
import { suggestion } from '../../config/nearest.ts';
import { RollstreamError } from '../../errors.ts';
import { bad } from '../request-value.ts';
import { rowsFormatAsked, rowsResponse } from '../rows-response.ts';
import type { QueryRouteDeps } from './query.ts';

/**
 * `GET /v1/named`: the queries that are shipped, with their SQL. `GET /v1/named/:name?param=value&format=json|jsonl|csv`: the rows of
 * one, within the limits of any query.
 */
export function namedRoutes({ access, takeTurns }: QueryRouteDeps): Hono {
  const queries = namedQueries();
  const names = queries.map(({ name }) => name);
  return new Hono()
    .get('/named', (c) => c.json({ queries }))
    .get('/named/:name', async (c) => {
      const name = c.req.param('name');
      const query = queries.find((one) => one.name === name);
      if (query === undefined)
        throw new RollstreamError('RS_NOT_FOUND', `no query is named ${name}${suggestion(name, names)}; see /v1/named`);
      const twice = Object.entries(c.req.queries()).find(([, values]) => values.length > 1)?.[0];
      if (twice !== undefined) throw bad(twice, `${twice}: it is given more than once`);
      const { format: asked, ...given } = c.req.query();
      const format = rowsFormatAsked(asked);
      const params = askedWith(query, given);
      const rows = () => access.query(query.sql, rowsFormatOf(format), params);
      return rowsResponse(await takeTurns(c.req.raw.signal, rows), format);
    });
}
