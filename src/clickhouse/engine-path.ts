import { join, resolve } from 'node:path';

/** Where the engine keeps its data, inside the store's folder. One process may have it open, on many connections. */
export function enginePath(folder: string): string {
  return join(resolve(folder), 'engine');
}
