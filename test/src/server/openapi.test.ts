import { expect, it } from 'vitest';
import { openApi } from '../../../src/server/openapi.ts';
import { deliveryApp, scriptedDelivery } from './scripted-delivery.ts';

it('describes each route of delivery', () => {
  const described = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const routes = deliveryApp(scriptedDelivery().delivery).routes.map(
    ({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(routes.length).toBeGreaterThan(8);
  expect(routes.filter((route) => !described.includes(route))).toEqual([]);
});
