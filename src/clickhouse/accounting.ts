import { readFile } from 'node:fs/promises';
import type { ReadyState } from '../../processors/model/delivery.ts';
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
  /** What became of what is ready, as of now. */
  readonly ready_states: ReadyStates;
  /** Starts that their group refused, by reason: no attempts, and in no book. */
  readonly not_taken_in: Readonly<Record<string, number>>;
  /** What a forked run took over from its parent. */
  readonly inherited: number;
  /** What replays wrote to the ready topic again. */
  readonly re_emitted: number;
}

export type ReadyStates = Readonly<Record<ReadyState, number>>;

export interface Accounting {
  readonly runs: readonly RunAccounting[];
}

interface Entry {
  readonly run_id: string;
  readonly book:
    | ('started' | 'laneless' | 'open' | 'held' | 'ready' | 'rejected' | 'lost' | 'superseded' | 'undecidable')
    | 'not_taken_in'
    | 'ready_state'
    | 'inherited'
    | 're_emitted';
  readonly reason: string;
  readonly n: number;
}

/** started = ready + Σ rejected + open + lost + superseded, and ready + inherited + re_emitted = Σ ready_states, for each run. */
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
  const inherited = total('inherited');
  const re_emitted = total('re_emitted');
  const ready_states = readyStates(byReason('ready_state'));
  const states = Object.values(ready_states).reduce((sum, n) => sum + n, 0);
  const balanced =
    total('laneless') === 0 &&
    total('undecidable') === 0 &&
    started === ready + total('rejected') + open + lost + superseded &&
    ready + inherited + re_emitted === states;
  const books = { started, ready, rejected, open, held, lost, superseded, balanced };
  return { run_id, ...books, ready_states, not_taken_in, inherited, re_emitted };
}

function readyStates(counts: Readonly<Record<string, number>>): ReadyStates {
  const n = (state: ReadyState): number => counts[state] ?? 0;
  return {
    queued: n('queued'),
    leased: n('leased'),
    trained: n('trained'),
    expired: n('expired'),
    undeliverable: n('undeliverable'),
    trainer_rejected: n('trainer_rejected'),
    replaced: n('replaced'),
  };
}
