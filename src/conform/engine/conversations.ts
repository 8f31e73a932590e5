/** What stood after a turn: its prompt and its completion. */
export interface Held {
  readonly call: number;
  readonly length: number;
  readonly commonPrefix: number;
}

export interface Conversations {
  /** How often this turn of the task had been asked before. Counts this one. */
  attempt(key: string, turn: number): number;
  /** What the prompt has in common with the turn before: of rollouts of one task, the one that it continues. null: there was none. */
  held(key: string, turn: number, promptIds: readonly number[]): Held | null;
  keep(key: string, turn: number, call: number, promptIds: readonly number[], completionIds: readonly number[]): void;
}

interface Kept {
  readonly call: number;
  readonly ids: Int32Array;
}

/** Over it, the oldest are forgotten: a turn whose like was asked so long ago has no `held`. */
const MOST_TOKENS = 64_000_000;
const MOST_COUNTS = 500_000;

export function createConversations(): Conversations {
  const turns = new Map<string, Kept[]>();
  const counts = new Map<string, number>();
  let tokens = 0;
  const nameOf = (key: string, turn: number): string => `${key}/${turn}`;
  return {
    attempt(key, turn) {
      const name = nameOf(key, turn);
      const before = counts.get(name) ?? 0;
      counts.set(name, before + 1);
      if (counts.size > MOST_COUNTS) forgetFirst(counts);
      return before;
    },
    held(key, turn, promptIds) {
      let best: Held | null = null;
      for (const { call, ids } of turns.get(nameOf(key, turn - 1)) ?? []) {
        const shared = commonPrefix(ids, promptIds);
        // Of equals the later one: it is what a client that tried again had last.
        if (best === null || shared >= best.commonPrefix) best = { call, length: ids.length, commonPrefix: shared };
      }
      return best;
    },
    keep(key, turn, call, promptIds, completionIds) {
      const name = nameOf(key, turn);
      const ids = Int32Array.from([...promptIds, ...completionIds]);
      turns.set(name, [...(turns.get(name) ?? []), { call, ids }]);
      tokens += ids.length;
      while (tokens > MOST_TOKENS && turns.size > 1)
        for (const old of forgetFirst(turns) ?? []) tokens -= old.ids.length;
    },
  };
}

function forgetFirst<T>(map: Map<string, T>): T | undefined {
  const [first] = map;
  if (first === undefined) return undefined;
  map.delete(first[0]);
  return first[1];
}

function commonPrefix(held: Int32Array, prompt: readonly number[]): number {
  const most = Math.min(held.length, prompt.length);
  let at = 0;
  while (at < most && held[at] === prompt[at]) at += 1;
  return at;
}
