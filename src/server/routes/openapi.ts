import { Hono } from 'hono';
import { openApi } from '../openapi.ts';

/** `GET /v1/openapi.json` */
export function openApiRoutes(): Hono {
  return new Hono().get('/openapi.json', (c) => c.json(openApi));
}
