/** What is a call of a model, and recorded; all other paths are passed on as they are. */
export type ModelRoute = 'generate' | 'chat' | 'completions';

const ROUTES: ReadonlyMap<string, ModelRoute> = new Map([
  ['/generate', 'generate'],
  ['/v1/chat/completions', 'chat'],
  ['/v1/completions', 'completions'],
]);

/** `target`: path and query, as they go to the upstream. */
export function modelRouteOf(method: string, target: string): ModelRoute | null {
  if (method !== 'POST') return null;
  const query = target.indexOf('?');
  return ROUTES.get(query === -1 ? target : target.slice(0, query)) ?? null;
}
