import type { Fact, Facts, LeaseRequest, ReadyEntry } from '../model/delivery.ts';
import { membersOf, type Unit } from './ready-order.ts';
import type { Run } from './run.ts';

/** Facts to write before anything is granted, by reason. */
export type Found = ReadonlyMap<string, Facts>;

export interface Taken {
  /** Units that were looked at and have something queued. */
  readonly seen: readonly Unit[];
  /** How many of them can be granted, and their entries. */
  readonly picked: number;
  readonly entries: readonly ReadyEntry[];
  readonly tokens: number;
  readonly found: Found;
}

/**
 * Tokens of a plain lease, and of a shard; more only where the first unit alone has more. Their records are about 300 MB, which the
 * server holds while it answers: 100,000 large trajectories would be more than any machine has.
 */
export const MOST_TOKENS = 2 ** 25;

/** Facts in one record: a queue that went stale as a whole is written piece by piece. */
const MOST_FOUND = 5_000;

/**
 * The first units in ready order, and what is found of others on the way: delivered too often (all of the unit: nobody knows which
 * member it is), or too old, alone or with its group. Siblings keep their advantages.
 */
export function takeUnits(run: Run, q: LeaseRequest, maxDeliveries: number): Taken {
  const seen: Unit[] = [];
  const entries: ReadyEntry[] = [];
  const found = new Map<string, Map<number, Fact>>();
  let [picked, tokens, founds] = [0, 0, 0];
  const find = (of: readonly ReadyEntry[], state: 'expired' | 'undeliverable', reason: string): void => {
    const facts = found.get(reason) ?? new Map<number, Fact>();
    found.set(reason, facts);
    for (const { offset } of of)
      facts.set(offset, { state, lineage: run.lineage, step: 0, lease: '', count: run.deliveries(offset) });
    founds += of.length;
  };
  while (founds < MOST_FOUND && !isFull({ picked, tokens, entries }, q)) {
    const unit = run.order.take();
    if (unit === null) break;
    const free = membersOf(unit).filter(({ offset }) => run.isFree(offset));
    if (free.length === 0) continue;
    seen.push(unit);
    const stale = free.filter((entry) => run.staleness(entry, q.rule) !== null);
    if (free.some(({ offset }) => run.deliveries(offset) >= maxDeliveries))
      find(free, 'undeliverable', 'max_deliveries');
    else if (stale[0] !== undefined)
      find(q.rule.atTake === 'group' ? free : stale, 'expired', run.staleness(stale[0], q.rule) ?? '');
    else {
      picked += 1;
      for (const entry of free) {
        entries.push(entry);
        tokens += entry.tokens;
      }
    }
  }
  return { seen, picked, entries, tokens, found };
}

type Size = Pick<Taken, 'picked' | 'tokens' | 'entries'>;

export function isEnough({ picked, entries, tokens }: Size, q: LeaseRequest): boolean {
  // One that has all it may have waits for no more.
  if (q.dp === 0) return picked >= q.least || tokens >= MOST_TOKENS;
  if (entries.length < q.dp) return false;
  return q.tokens === null ? picked === q.most : tokens >= q.tokens;
}

/** A step has exactly the units that it asks for, so that nobody can make it smaller. */
export function isTooLarge({ picked, tokens }: Size, q: LeaseRequest): boolean {
  return q.dp > 0 && q.tokens === null && picked > 1 && tokens > MOST_TOKENS * q.dp;
}

/**
 * It has all its units, and not a trajectory for each rank. More that become ready come behind them, so that to wait would be to
 * wait for ever: the same units are found first each time.
 */
export function isTooFew({ picked, entries }: Size, q: LeaseRequest): boolean {
  return q.dp > 0 && q.tokens === null && picked === q.most && entries.length < q.dp;
}

function isFull(size: Size, q: LeaseRequest): boolean {
  const { picked, tokens, entries } = size;
  if (q.dp === 0) return picked >= q.most || tokens >= MOST_TOKENS;
  if (q.tokens !== null) return tokens >= q.tokens && entries.length >= q.dp;
  return picked >= q.most || isTooLarge(size, q);
}
