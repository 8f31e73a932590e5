/** Which shape a call has, by its path. `other`: its answers are kept as text, without ids. */
export type Route = 'generate' | 'chat' | 'completions' | 'other';

export function routeOf(path: string): Route {
  const bare = path.replace(/[?#].*$/, '').replace(/\/+$/, '');
  if (bare.endsWith('/generate')) return 'generate';
  if (bare.endsWith('/chat/completions')) return 'chat';
  return bare.endsWith('/completions') ? 'completions' : 'other';
}
