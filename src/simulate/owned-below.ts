import type { MemoryStore } from './memory-store.ts';

/**
 * First offset that rows of a term do not count at, as the view `owned` says it: the newest term's lanes row bounds its own, the
 * next term's restored frontier those before.
 */
export function ownedBelow(store: MemoryStore): Map<number, number> {
  const below = new Map<number, number>();
  const [lane] = store.rows('lanes');
  if (lane === undefined) return below;
  const frontier = Number(lane.frontier);
  const restored = new Map(store.rows('terms').map(({ term, restored: at }) => [Number(term), Number(at)]));
  for (const term of restored.keys()) {
    if (term === lane.term) below.set(term, frontier);
    else below.set(term, term < Number(lane.term) ? Math.min(restored.get(term + 1) ?? 0, frontier) : 0);
  }
  return below;
}
