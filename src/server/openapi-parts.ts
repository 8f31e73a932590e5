/** Pieces that the paths of the API are described with. */

export const json = (description: string) => ({
  description,
  content: { 'application/json': { schema: { type: 'object' } } },
});
export const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: { type: 'string' } } },
});
export const failure = { $ref: '#/components/responses/Error' };
export const query = (name: string, type: 'string' | 'integer', description: string) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type },
});
export const run = query('run', 'string', 'only this run');
export const body = (required: readonly string[], properties: Readonly<Record<string, object>>) => ({
  required: true,
  content: { 'application/json': { schema: { type: 'object', required, properties } } },
});

export const inPath = (name: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'path',
  required: true,
  schema,
});
