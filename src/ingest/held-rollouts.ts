import { ExactNumber, isObject, type JsonValue } from './exact-number.ts';

/** Bytes of memory that rollouts of one file may hold until they are whole. */
export const MOST_HELD_BYTES = 256 * 1024 * 1024;

/** Rollouts of a file whose lines lie between each other. */
export interface HeldRollouts<T> {
  get(id: string): T | undefined;
  /** It was given before its file had ended: what comes later has no place any more. */
  isGiven(id: string): boolean;
  /** Puts it in, or says that `bytes` more are held for it; it is then the last that was touched. */
  touch(id: string, held: T, bytes: number): void;
  remove(id: string): void;
  /** Those that have to be given so that the rest stays below the limit: the longest untouched first, never the last touched. */
  overflow(): T[];
  /** All that are held, in the order in which they began; each is let go when it is given. */
  drain(): Iterable<T>;
}

export function createHeldRollouts<T>(mostBytes = MOST_HELD_BYTES): HeldRollouts<T> {
  /** In the order of the last touch. */
  const byTouch = new Map<string, { readonly held: T; readonly began: number; readonly bytes: number }>();
  const given = new Set<string>();
  let bytesHeld = 0;
  let began = 0;

  function remove(id: string): void {
    bytesHeld -= byTouch.get(id)?.bytes ?? 0;
    byTouch.delete(id);
  }

  return {
    get: (id) => byTouch.get(id)?.held,
    isGiven: (id) => given.has(id),
    touch(id, held, bytes) {
      const entry = byTouch.get(id);
      byTouch.delete(id);
      byTouch.set(id, { held, began: entry?.began ?? began++, bytes: (entry?.bytes ?? 0) + bytes });
      bytesHeld += bytes;
    },
    remove,
    overflow() {
      const over: T[] = [];
      for (const [id, { held }] of byTouch) {
        if (bytesHeld <= mostBytes || byTouch.size === 1) break;
        remove(id);
        given.add(id);
        over.push(held);
      }
      return over;
    },
    *drain() {
      const all = [...byTouch.values()].sort((a, b) => b.began - a.began);
      byTouch.clear();
      bytesHeld = 0;
      for (let next = all.pop(); next !== undefined; next = all.pop()) yield next.held;
    },
  };
}

/** About what a parsed value takes in memory. */
export function heldBytes(value: JsonValue): number {
  if (typeof value === 'string') return 24 + 2 * value.length;
  if (value instanceof ExactNumber) return 40 + value.text.length;
  if (Array.isArray(value)) {
    let bytes = 32;
    for (const item of value) bytes += typeof item === 'number' ? 8 : 8 + heldBytes(item);
    return bytes;
  }
  if (!isObject(value)) return 8;
  let bytes = 56;
  for (const key in value) bytes += 16 + heldBytes(value[key] ?? null);
  return bytes;
}
