import { readFile } from 'node:fs/promises';
import { packageFile } from '../config/package-file.ts';
import type { Store } from './port.ts';

/** The books of one run, over attempts. */
export interface RunAccounting {
  readonly run_id: string;
  readonly started: number;
  readonly ready: number;
  /** By counted reason; `retry:<reason>` for what was asked to run again. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly open: number;
  /** Among the open ones. */
  readonly held: number;
  readonly lost: number;
  readonly superseded: number;
  readonly balanced: boolean;
  readonly ready_states: ReadyStates;
  /** Starts that their group refused, by reason: no attempts, and in no book. */
  readonly not_taken_in: Readonly<Record<string, number>>;
  /** What a forked run took over from its parent. */
  readonly inherited: number;
}

export interface ReadyStates {
  readonly queued: number;
  readonly leased: number;
  readonly trained: number;
  readonly expired: number;
  readonly undeliverable: number;
  readonly trainer_rejected: number;
}

export interface Accounting {
  readonly runs: readonly RunAccounting[];
}

interface Entry {
  readonly run_id: string;
  readonly book:
    | ('started' | 'laneless' | 'open' | 'held' | 'ready' | 'rejected' | 'lost' | 'superseded' | 'undecidable')
    | 'not_taken_in';
  readonly reason: string;
  readonly n: number;
}

/** started = ready + Σ rejected + open + lost + superseded, for each run, below each lane's frontier. */
export async function readAccounting(store: Store, { runId = '' }: { runId?: string } = {}): Promise<Accounting> {
  const sql = await readFile(packageFile('infra', 'clickhouse', 'queries', 'accounting.sql'), 'utf8');
  const entries = await store.query<Entry>(sql, { run: runId });
  const byRun = new Map<string, Entry[]>();
  for (const entry of entries) {
    const others = byRun.get(entry.run_id);
    if (others === undefined) byRun.set(entry.run_id, [entry]);
    else others.push(entry);
  }
  return { runs: Array.from(byRun, ([run_id, own]) => closeBooks(run_id, own)) };
}

function closeBooks(run_id: string, entries: readonly Entry[]): RunAccounting {
  const total = (book: Entry['book']): number =>
    entries.reduce((sum, entry) => (entry.book === book ? sum + entry.n : sum), 0);
  const byReason = (wanted: Entry['book']): Record<string, number> =>
    Object.fromEntries(entries.filter(({ book }) => book === wanted).map(({ reason, n }) => [reason, n] as const));
  const rejected = byReason('rejected');
  const not_taken_in = byReason('not_taken_in');
  const [started, ready, superseded, held] = [total('started'), total('ready'), total('superseded'), total('held')];
  const open = total('open') + held;
  const lost = total('lost');
  const inherited = 0;
  // Nothing is delivered through leases yet, so all that is ready is queued.
  const ready_states = { queued: ready, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0 };
  const states = Object.values(ready_states).reduce((sum, n) => sum + n, 0);
  const balanced =
    total('laneless') === 0 &&
    total('undecidable') === 0 &&
    started === ready + total('rejected') + open + lost + superseded &&
    ready + inherited === states;
  const books = { started, ready, rejected, open, held, lost, superseded, balanced };
  return { run_id, ...books, ready_states, not_taken_in, inherited };
}
