import { NAIVE, on, SEEN_IN_BOOKS } from './naive.ts';
import { World } from './world.ts';

/** What the naive version breaks in the schedule of a seed; null: nothing. */
export function catchNaive(name: string, seed: number): string | null {
  const restore = (NAIVE[name] ?? []).map((put) => put());
  try {
    on.world = new World(String(seed), SEEN_IN_BOOKS.has(name));
    on.world.play();
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } finally {
    on.world = null;
    for (const put of restore.reverse()) put();
  }
}
