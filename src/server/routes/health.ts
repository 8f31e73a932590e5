import { Hono } from 'hono';
import type { Metrics } from '../../observe/metrics.ts';
import type { Readiness } from '../readiness.ts';

/** `/healthz`: the process answers. `/readyz`: its lanes are rebuilt and move. `/metrics`: Prometheus text. */
export function healthRoutes(deps: { readonly metrics: Metrics; readonly readiness: () => Readiness }): Hono {
  return new Hono()
    .get('/healthz', (c) => c.json({ status: 'ok' }))
    .get('/readyz', (c) => {
      const readiness = deps.readiness();
      return c.json(readiness, readiness.ready ? 200 : 503);
    })
    .get('/metrics', async (c) => {
      const { contentType, text } = await deps.metrics.exposition();
      return c.body(text, 200, { 'content-type': contentType });
    });
}
