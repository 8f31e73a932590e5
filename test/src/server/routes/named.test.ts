import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { QueryParams } from '../../../../src/clickhouse/port.ts';
import { errorResponse } from '../../../../src/server/error-response.ts';
import { namedRoutes } from '../../../../src/server/routes/named.ts';
import { createTakeTurns } from '../../../../src/server/take-turns.ts';

const asked: QueryParams[] = [];
const access = {
  query: async (_sql: string, _format: string, params: QueryParams) => {
    asked.push(params);
    return '';
  },
};
const takeTurns = createTakeTurns({ atOnce: 1, waiting: 1, what: 'queries' });
const app = new Hono().route('/v1', namedRoutes({ access, takeTurns })).onError((error) => errorResponse(error));

it('what is given twice is refused, and neither value is taken for the other', async () => {
  for (const [path, field] of [
    ['flow?run=a&run=b', 'run'],
    ['flow?run=a&run=a', 'run'],
    ['flow?format=csv&format=json', 'format'],
  ]) {
    const answer = await app.request(`/v1/named/${path}`);
    expect(answer.status, path).toBe(400);
    expect(await answer.json(), path).toMatchObject({ error: { code: 'RS_USAGE', field } });
  }
  expect(asked).toEqual([]);
  expect((await app.request('/v1/named/flow?run=a%26run%3Db&format=csv')).status).toBe(200);
  expect(asked).toEqual([{ run: 'a&run=b' }]);
});

it('a name is one of those that are shipped, and nothing else reaches a file or a property', async () => {
  for (const name of ['__proto__', 'constructor', '..%2faccounting', '%00', 'flow.sql', '%2e%2e', 'Flow'])
    expect((await app.request(`/v1/named/${name}`)).status, name).toBe(404);
});

it('is not asked for a client that left before its turn', async () => {
  const gone = new AbortController();
  let end = (): void => undefined;
  const before = takeTurns(new AbortController().signal, () => new Promise<void>((resolve) => (end = resolve)));
  const answer = app.request('/v1/named/flow?run=gone', { signal: gone.signal });
  await new Promise(setImmediate);
  gone.abort();
  expect((await answer).status).toBe(503);
  end();
  await before;
  expect(asked).not.toContainEqual({ run: 'gone' });
});
