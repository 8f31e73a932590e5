import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { SenderEnv } from '../../../src/server/auth/require-caller.ts';
import { INGEST_PATHS } from '../../../src/server/ingest-paths.ts';
import { openApi } from '../../../src/server/openapi.ts';
import { producerRoutes } from '../../../src/server/routes/producers.ts';
import { stepRoutes } from '../../../src/server/routes/steps.ts';
import { verdictRoutes } from '../../../src/server/routes/verdicts.ts';
import { deliveryApp, scriptedDelivery } from './scripted-delivery.ts';

const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method} ${path}`),
);
const routesOf = (app: Hono<SenderEnv>): string[] =>
  app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);

it('describes each route of delivery', () => {
  const routes = routesOf(deliveryApp(scriptedDelivery().delivery));
  expect(routes.length).toBeGreaterThan(8);
  expect(routes.filter((route) => !described.includes(route))).toEqual([]);
});

it('describes each route that producers send to, and no other', () => {
  const never = async (): Promise<never> => {
    throw new Error('not asked');
  };
  const ingest = { steps: never, verdicts: never, producerEnded: never };
  const app = new Hono<SenderEnv>();
  for (const routes of [stepRoutes({ ingest }), verdictRoutes({ ingest }), producerRoutes({ ingest })])
    app.route('/v1', routes);
  expect(routesOf(app).toSorted()).toEqual(
    Object.keys(INGEST_PATHS)
      .toSorted()
      .map((path) => `post ${path}`),
  );
  expect(routesOf(app).filter((route) => !described.includes(route))).toEqual([]);
});
