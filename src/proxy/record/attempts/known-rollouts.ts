import type { AttemptIdentity } from '../../../ingest/attempt-events.ts';
import type { NamedBy } from '../../journal/call-head.ts';
import type { OpenAttempt } from './open-attempts.ts';

/** An attempt that has ended, as far as it matters to what still comes: verdicts, and calls that are late. */
export interface EndedAttempt {
  readonly identity: AttemptIdentity;
  /** By the clock that calls begin by. */
  readonly endedAtUs: number;
  readonly nextSeq: number;
  readonly calls: number;
  /** Keys of its conversations (conversation-keys.ts). */
  readonly found: readonly string[];
}

export type KnownAttempt = { readonly open: OpenAttempt } | { readonly ended: EndedAttempt };

export interface KnownRollouts {
  /** The attempt that a name means: the latest that agrees with all that it says. null: it is not known here. */
  find(run: string, named: NamedBy & { readonly rollout: string }): KnownAttempt | null;
  /** The highest number of the rollout's attempts; -1: there is none. */
  lastAttempt(run: string, named: NamedBy & { readonly rollout: string }): number;
  opened(attempt: OpenAttempt): void;
  ended(ended: EndedAttempt): void;
  readonly endedCount: number;
  allEnded(): IterableIterator<EndedAttempt>;
}

/** Names to attempts. `maxEnded`: so many that have ended are remembered. */
export function createKnownRollouts(maxEnded: number): KnownRollouts {
  const rollouts = new Map<string, KnownAttempt[]>();
  /** In the order in which they ended. */
  const ended = new Map<string, EndedAttempt>();
  const nameOf = (run: string, rollout: string): string => JSON.stringify([run, rollout]);

  function add(known: KnownAttempt): void {
    const { identity } = 'open' in known ? known.open.head : known.ended;
    const name = nameOf(identity.run_id, identity.rollout_id);
    const others = (rollouts.get(name) ?? []).filter((other) => !isSame(identityOf(other), identity));
    rollouts.set(name, [...others, known]);
  }

  function forgetOldest(): void {
    for (const [key, { identity }] of ended) {
      if (ended.size <= maxEnded) return;
      ended.delete(key);
      const name = nameOf(identity.run_id, identity.rollout_id);
      const left = (rollouts.get(name) ?? []).filter((one) => 'open' in one || !isSame(one.ended.identity, identity));
      if (left.length === 0) rollouts.delete(name);
      else rollouts.set(name, left);
    }
  }

  return {
    find(run, named) {
      const all = (rollouts.get(nameOf(run, named.rollout)) ?? []).filter((known) => agrees(identityOf(known), named));
      return all.findLast((known) => 'open' in known) ?? all.at(-1) ?? null;
    },
    lastAttempt(run, named) {
      const all = rollouts.get(nameOf(run, named.rollout)) ?? [];
      const same = all.map(identityOf).filter((identity) => agrees(identity, { ...named, attempt: null }));
      return same.reduce((last, { attempt }) => Math.max(last, attempt), -1);
    },
    opened: (open) => add({ open }),
    ended(one) {
      add({ ended: one });
      const key = JSON.stringify(one.identity);
      ended.delete(key);
      ended.set(key, one);
      forgetOldest();
    },
    get endedCount() {
      return ended.size;
    },
    allEnded: () => ended.values(),
  };
}

function identityOf(known: KnownAttempt): AttemptIdentity {
  return 'open' in known ? known.open.head.identity : known.ended.identity;
}

/** What is not said agrees with anything. */
function agrees(identity: AttemptIdentity, { attempt, group, epoch }: NamedBy): boolean {
  return (
    (attempt === null || attempt === identity.attempt) &&
    (group === null || group === identity.group_id) &&
    (epoch === null || epoch === identity.epoch)
  );
}

function isSame(a: AttemptIdentity, b: AttemptIdentity): boolean {
  return a.attempt === b.attempt && a.epoch === b.epoch && a.group_id === b.group_id;
}
