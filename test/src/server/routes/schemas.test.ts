import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { errorResponse } from '../../../../src/server/error-response.ts';
import { schemaRoutes } from '../../../../src/server/routes/schemas.ts';

const app = new Hono();
app.route('/v1', schemaRoutes({ schemaOf: async (id) => (id === 7 ? { type: 'array', items: 'long' } : null) }));
app.onError(errorResponse);

it('a schema is found by the id that records name it by', async () => {
  expect(await (await app.request('/v1/schemas/7')).json()).toEqual({ schema: { type: 'array', items: 'long' } });
});

it.each([
  ['of an id that nobody gave out', '8', 404, 'RS_NOT_FOUND'],
  ['of text', 'x', 400, 'RS_USAGE'],
  ['of -1', '-1', 400, 'RS_USAGE'],
  ['of 1.5', '1.5', 400, 'RS_USAGE'],
  ['of 2³¹', '2147483648', 400, 'RS_USAGE'],
  ['of a path', '..%2F..%2Fpackage.json', 400, 'RS_USAGE'],
])('%s there is none', async (_, id, status, code) => {
  const response = await app.request(`/v1/schemas/${id}`);
  expect([response.status, await response.json()]).toMatchObject([status, { error: { code, field: 'id' } }]);
});
