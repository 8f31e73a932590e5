import type { Schema } from 'avsc';
import { Hono } from 'hono';
import { RollstreamError } from '../../errors.ts';
import { bad } from '../request-value.ts';

const MOST_ID = 2 ** 31 - 1;

/** `GET /v1/schemas/:id`: the schema that a record in Confluent wire format names. It never changes: any client keeps it. */
export function schemaRoutes({ schemaOf }: { readonly schemaOf: (id: number) => Promise<Schema | null> }): Hono {
  return new Hono().get('/schemas/:id', async (c) => {
    const text = c.req.param('id');
    const id = /^\d{1,10}$/.test(text) ? Number(text) : MOST_ID + 1;
    if (id > MOST_ID) throw bad('id', `id: a whole number up to ${MOST_ID} is needed`);
    const schema = await schemaOf(id);
    if (schema === null)
      throw new RollstreamError('RS_NOT_FOUND', `no schema has the id ${id}`, { facts: { field: 'id' } });
    return c.json({ schema });
  });
}
