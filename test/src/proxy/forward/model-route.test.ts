import { expect, it } from 'vitest';
import { modelRouteOf, unrecordedCall } from '../../../../src/proxy/forward/model-route.ts';

it.each([
  ['/v1/chat/completions', 'chat'],
  ['/v1/completions?x=1', 'completions'],
  ['/generate', 'generate'],
])('POST %s is a model call, of which nothing is said', (target, route) => {
  expect(modelRouteOf('POST', target)).toBe(route);
  expect(modelRouteOf('GET', target)).toBeNull();
});

it.each([
  ['/chat/completions', '/v1/chat/completions'],
  ['/v1/v1/chat/completions?key=secret', '/v1/chat/completions'],
  ['/v1/chat/completions/', '/v1/chat/completions'],
  ['/completions', '/v1/completions'],
  ['/v1/generate', '/generate'],
  ['/v1/responses', '/v1/chat/completions, '],
  ['/v1/messages', '/v1/chat/completions, '],
])('POST %s is told to be unrecorded, with what is recorded, and without its query', (target, meant) => {
  expect(modelRouteOf('POST', target)).toBeNull();
  const said = unrecordedCall('POST', target);
  expect(said).toContain(`POST ${target.split('?')[0]} is passed on unrecorded`);
  expect(said).toContain(meant);
  expect(said).not.toContain('secret');
});

it.each([
  ['GET', '/v1/responses'],
  ['POST', '/v1/embeddings'],
  ['POST', '/flush_cache'],
  ['POST', '/v1/messages/count_tokens'],
])('of %s %s, which is no model call, nothing is said', (method, target) => {
  expect(unrecordedCall(method, target)).toBeNull();
});
