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

/** A page is what is in memory at once: so many attempts, tokens, characters of ids (a parameter of a statement has a limit). */
const PAGE = { attempts: 256, tokens: 1_000_000, idLength: 50_000 };
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
    yield* pagesOf(keys);
  }
}

function* pagesOf(keys: readonly DecidedKey[]): Generator<readonly DecidedKey[]> {
  let page: DecidedKey[] = [];
  let [tokens, length] = [0, 0];
  for (const key of keys) {
    const isFull =
      page.length >= PAGE.attempts ||
      tokens + key.n_tokens > PAGE.tokens ||
      length + key.rollout_id.length > PAGE.idLength;
    if (isFull && page.length > 0) {
      yield page;
      page = [];
      [tokens, length] = [0, 0];
    }
    page.push(key);
    tokens += key.n_tokens;
    length += key.rollout_id.length + 3;
  }
  if (page.length > 0) yield page;
}

/** What an attempt of a run is known by. */
export function keyOf({ unit, rollout_id, attempt }: Pick<DecidedKey, 'unit' | 'rollout_id' | 'attempt'>): string {
  return JSON.stringify([unit, rollout_id, attempt]);
}
