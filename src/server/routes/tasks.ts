import { Hono } from 'hono';
import { namedQueries } from '../../access/named-queries.ts';
import { jsonArrayOf } from '../../access/query-rows.ts';
import { bad } from '../request-value.ts';
import type { QueryRouteDeps } from './query.ts';

/** `GET /v1/tasks?run=&task=&pass=`: attempts and pass rate by task and weights version, as `query --named task_difficulty`. */
export function taskRoutes({ access, takeTurns }: QueryRouteDeps): Hono {
  const query = namedQueries().find(({ name }) => name === 'task_difficulty');
  if (query === undefined) throw new Error('the query task_difficulty is not shipped');
  return new Hono().get('/tasks', async (c) => {
    const pass = c.req.query('pass') ?? '';
    if (pass !== '' && !/^-?\d+(\.\d+)?$/.test(pass)) throw bad('pass', 'pass: a number is needed');
    const params = { run: c.req.query('run') ?? '', task: c.req.query('task') ?? '', pass };
    const text = await takeTurns(c.req.raw.signal, () => access.query(query.sql, 'jsonl', params));
    return c.body(`{"tasks":${jsonArrayOf(text).trimEnd()}}\n`, 200, { 'content-type': 'application/json' });
  });
}
