import type { MemoryStore, Row } from './memory-store.ts';
import { ownedBelow } from './owned-below.ts';

/** Rows that count. */
export function visibleRows(store: MemoryStore, table: string): Row[] {
  const below = ownedBelow(store);
  return store.rows(table).filter((row) => Number(row.cause ?? row.offset) < (below.get(Number(row.term)) ?? 0));
}

const BOOKS: Readonly<Record<string, string>> = {
  train: 'ready',
  train_masked: 'ready',
  penalise: 'ready',
  drop: 'rejected',
  quarantine: 'rejected',
  retry: 'rejected',
  superseded: 'superseded',
};

/** The log forgot it before it was decided. */
export function isLost(row: Row): boolean {
  return row.disposition === 'drop' && row.reason_code === 'lost';
}

function bookOf(row: Row): string | undefined {
  return isLost(row) ? 'lost' : BOOKS[String(row.disposition)];
}

/** started = ready + rejected + superseded + lost + open, by run: what does not add up, in words, or null. */
export function balanceProblem(store: MemoryStore): string | null {
  const [lane] = store.rows('lanes');
  if (lane === undefined) return store.rows('attempts').length === 0 ? null : 'attempts, and no lane';
  const difference = new Map<string, number>();
  const add = (run: unknown, count: number) => difference.set(String(run), (difference.get(String(run)) ?? 0) + count);
  for (const row of visibleRows(store, 'attempts')) add(row.run_id, 1);
  for (const row of visibleRows(store, 'decisions')) {
    if (bookOf(row) === undefined) return `a decision ${row.disposition} has no book`;
    add(row.run_id, -1);
  }
  for (const run of Array.isArray(lane['open.run_id']) ? lane['open.run_id'] : []) add(run, -1);
  for (const [run, by] of difference)
    if (by !== 0) return `run ${run}: started is ${by} more than all that became of it`;
  return null;
}

/** The forwarder has said that it moves it to ready. */
export function isReleased(store: MemoryStore, decision: Row): boolean {
  const key = ['run_id', 'unit', 'rollout_id', 'attempt'] as const;
  return store.rows('released').some((row) => key.every((column) => row[column] === decision[column]));
}

/** Where a decision is sent once its gate is open; undefined: nowhere. */
export function outTopicOf(row: Row): 'ready' | 'rejected' | 'retries' | undefined {
  if (row.disposition === 'retry') return 'retries';
  const book = bookOf(row);
  return book === 'ready' || book === 'rejected' ? book : undefined;
}
