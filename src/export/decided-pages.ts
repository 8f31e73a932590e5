import type { Store } from '../clickhouse/port.ts';
import { decidedScope } from './decided-scope.ts';

/** An attempt that an export holds. */
export interface DecidedKey {
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly n_tokens: number;
  readonly reason_code: string;
}

interface Row extends DecidedKey {
  readonly at: number;
  readonly partition: number;
  readonly offset: number;
}

/** Rollouts that one statement names: a parameter of a statement has a limit. */
const NAMED = { attempts: 256, characters: 50_000 };
/** Tokens of a page: what is in memory at once. A single attempt may have more. */
const PAGE_TOKENS = 1_000_000;
/** Keys that are in memory at once. */
const KEYS = 20_000;

/** The attempts of a run that have a trajectory, in the order in which they were decided, in pages that fit into memory. */
export async function* decidedPages(
  store: Store,
  { runId, all, until }: { runId: string; all: boolean; until: number },
): AsyncGenerator<readonly DecidedKey[]> {
  let after = { at: -1, partition: -1, offset: -1 };
  for (;;) {
    // Members of a group were decided by one record: no portion ends between them.
    const keys = await store.query<Row>(
      `SELECT * FROM (
         SELECT unit, rollout_id, attempt, n_tokens, reason_code, partition, offset,
           toUnixTimestamp64Micro(decided_at) AS at
         FROM rollstream.live_decisions
         WHERE ${decidedScope(all)} AND disposition != 'superseded'
           AND (at, partition, offset) > ({at:Int64}, {partition:Int32}, {offset:Int64})
         ORDER BY at, partition, offset LIMIT ${KEYS} WITH TIES)
       ORDER BY at, partition, offset, unit, rollout_id, attempt`,
      { run: runId, until, ...after },
    );
    const last = keys.at(-1);
    if (last === undefined) return;
    after = { at: last.at, partition: last.partition, offset: last.offset };
    for (const named of portionsOf(keys, NAMED.attempts, NAMED.characters, ({ rollout_id }) => rollout_id.length + 3)) {
      const tokensOf = await readMostTokens(store, runId, named);
      yield* portionsOf(named, NAMED.attempts, PAGE_TOKENS, tokensOf);
    }
  }
}

/** At most: each segment may be a copy of all that was said before. */
async function readMostTokens(
  store: Store,
  runId: string,
  keys: readonly DecidedKey[],
): Promise<(key: DecidedKey) => number> {
  const rows = await store.query<Omit<DecidedKey, 'n_tokens' | 'reason_code'> & { segment_count: number }>(
    `SELECT unit, rollout_id, attempt, segment_count FROM rollstream.live_trajectories
     WHERE run_id = {run:String} AND rollout_id IN {rollouts:Array(String)}`,
    { run: runId, rollouts: rolloutsOf(keys) },
  );
  const segments = new Map(rows.map((row) => [keyOf(row), row.segment_count]));
  return (key) => key.n_tokens * (segments.get(keyOf(key)) ?? 1);
}

/** In order; a portion holds at most so many items and so much weight, but for a single one that is heavier. */
function* portionsOf<Item>(
  items: readonly Item[],
  mostItems: number,
  mostWeight: number,
  weightOf: (item: Item) => number,
): Generator<readonly Item[]> {
  let portion: Item[] = [];
  let weight = 0;
  for (const item of items) {
    const own = weightOf(item);
    if (portion.length >= mostItems || (portion.length > 0 && weight + own > mostWeight)) {
      yield portion;
      portion = [];
      weight = 0;
    }
    portion.push(item);
    weight += own;
  }
  if (portion.length > 0) yield portion;
}

export function rolloutsOf(keys: readonly DecidedKey[]): string[] {
  return Array.from(new Set(keys.map(({ rollout_id }) => rollout_id)));
}

/** What an attempt of a run is known by. */
export function keyOf({ unit, rollout_id, attempt }: Pick<DecidedKey, 'unit' | 'rollout_id' | 'attempt'>): string {
  return JSON.stringify([unit, rollout_id, attempt]);
}
