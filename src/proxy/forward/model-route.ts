/** What is a call of a model, and recorded; all other paths are passed on as they are. */
export type ModelRoute = 'generate' | 'chat' | 'completions';

/** A path that ends as another does comes before it. */
const ROUTES: ReadonlyMap<string, ModelRoute> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/completions', 'completions'],
  ['/generate', 'generate'],
]);
/** OpenAI's responses and Anthropic's messages, which both engines serve too. */
const NOT_RECORDED = /\/v1\/(?:responses|messages)$/;

/** `target`: path and query, as they go to the upstream. */
export function modelRouteOf(method: string, target: string): ModelRoute | null {
  return method === 'POST' ? (ROUTES.get(pathOf(target)) ?? null) : null;
}

/** What to say of a request that is passed on, and looks like a call of a model all the same; null: it does not. */
export function unrecordedCall(method: string, target: string): string | null {
  if (method !== 'POST') return null;
  const path = pathOf(target);
  const passed = `POST ${path.slice(0, 200)} is passed on unrecorded`;
  if (NOT_RECORDED.test(path)) return `${passed}: recorded are ${[...ROUTES.keys()].join(', ')}`;
  const meant = [...ROUTES.keys()].find((route) => path.replace(/\/+$/, '').endsWith(route.replace('/v1', '')));
  return meant === undefined ? null : `${passed}: is ${meant} meant? It depends on the client's base URL`;
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
