import type { ModelRoute } from '../model-route.ts';
import { type Asking, namesOf } from './what-to-ask.ts';

/** What an upstream refused of what was added: it is not asked so again as long as this process lives. */
export interface RefusedAskings {
  has(route: ModelRoute, stream: boolean, asking: Asking): boolean;
  add(route: ModelRoute, stream: boolean, asking: Asking): void;
  /** For people: route, whether streamed, and the members. */
  list(): string[];
}

export function createRefusedAskings(): RefusedAskings {
  const refused = new Set<string>();
  const nameOf = (route: ModelRoute, stream: boolean, asking: Asking): string =>
    `${route}${stream ? ' streamed' : ''}: ${namesOf(asking).join(', ')}`;
  return {
    has: (...shape) => refused.has(nameOf(...shape)),
    add: (...shape) => refused.add(nameOf(...shape)),
    list: () => [...refused],
  };
}

/** By which an engine says that it does not know, or does not like, a field. */
export function isRefusal(status: number): boolean {
  return status === 400 || status === 422;
}
