import type { AttemptIdentity } from '../../../ingest/attempt-events.ts';
import type { NamedBy } from '../../journal/call-head.ts';
import { firstUserText, hashOf } from '../call/conversation.ts';
import type { Exchange } from '../call/exchange.ts';
import type { AttemptHead } from './attempt-head.ts';
import { earlierKeys, lengthOfKey } from './conversation-keys.ts';
import type { FoundConversations } from './found-conversations.ts';
import type { EndedAttempt, KnownRollouts } from './known-rollouts.ts';
import type { OpenAttempt, OpenAttempts } from './open-attempts.ts';

/** Where a call belongs. */
export type Place =
  | { readonly open: OpenAttempt }
  /** It goes on with an attempt that has ended: a fact, and too late. */
  | { readonly late: EndedAttempt }
  | { readonly begins: AttemptHead };

export interface PlaceDeps {
  readonly attempts: OpenAttempts;
  readonly known: KnownRollouts;
  readonly found: FoundConversations;
  /** For calls that name none. */
  readonly defaults: {
    readonly run: string;
    readonly env: string;
    readonly purpose: 'train' | 'eval' | 'synthesis';
  };
}

/** A client may close its connection and ask again before the proxy has seen it close. */
export const OVERLAP_US = 1_000_000;

/** Changes nothing. */
export function placeCall(exchange: Exchange, deps: PlaceDeps): Place {
  const { named } = exchange.head;
  const run = named.run ?? deps.defaults.run;
  return named.rollout === null
    ? placeUnnamed(exchange, run, deps)
    : placeNamed(exchange, run, { ...named, rollout: named.rollout }, deps);
}

function placeNamed(exchange: Exchange, run: string, named: Named, { known, defaults }: PlaceDeps): Place {
  const found = known.find(run, named);
  if (found !== null && 'open' in found) return { open: found.open };
  // One that was under way when its attempt ended, as it is when a client gives up, is no new attempt: that would supersede the other.
  const isLate = (ended: EndedAttempt): boolean =>
    named.attempt !== null || exchange.startedAtUs <= ended.endedAtUs || goesOnWith(exchange, ended);
  if (found !== null && isLate(found.ended)) return { late: found.ended };
  const attempt = named.attempt ?? known.lastAttempt(run, named) + 1;
  const identity = identityOf(run, named, attempt, named.task ?? named.rollout, defaults);
  return { begins: headOf(identity, exchange, false) };
}

type Named = NamedBy & { readonly rollout: string };

/** A call without a name: the one that an attempt began with, the same request again, or what goes on with a conversation. */
function placeUnnamed(exchange: Exchange, run: string, { attempts, found, defaults }: PlaceDeps): Place {
  const began = attempts.begunWith(exchange.head.id);
  if (began !== undefined) return { open: began };
  const again = [...attempts.withWaiting]
    .filter(({ head }) => head.isInferred && head.identity.run_id === run)
    .map((attempt) => ({ attempt, last: attempt.waiting.findLast((call) => isAgain(exchange, call)) }))
    .filter(({ last }) => last !== undefined)
    // Of rollouts that began with the same prompt and all have to ask again: the one that has waited longest.
    .sort((a, b) => (a.last?.endedAtUs ?? 0) - (b.last?.endedAtUs ?? 0))[0];
  if (again !== undefined) return { open: again.attempt };
  const goesOn = found.find(exchange, (attempt) => attempt.head.identity.run_id === run);
  if (goesOn !== null) return { open: goesOn };
  const { named, id } = exchange.head;
  const rollout = `inferred-${id}`;
  const task = named.task ?? `prompt-${hashOf(firstUserText(exchange.conversation) ?? exchange.body)}`;
  const identity = identityOf(run, { ...named, rollout }, named.attempt ?? 0, task, defaults);
  return { begins: headOf(identity, exchange, true) };
}

export function isAgain(exchange: Exchange, before: { readonly body: string; readonly endedAtUs: number }): boolean {
  return before.body === exchange.body && before.endedAtUs <= exchange.startedAtUs + OVERLAP_US;
}

function goesOnWith(exchange: Exchange, { found }: EndedAttempt): boolean {
  const lengths = new Set(
    found.flatMap((key) => {
      const of = lengthOfKey(key);
      return of === null ? [] : [`${of.kind}${of.length}`];
    }),
  );
  return earlierKeys(exchange, (kind, length) => lengths.has(`${kind}${length}`)).some((key) => found.includes(key));
}

function identityOf(
  run: string,
  named: Named,
  attempt: number,
  task: string,
  defaults: PlaceDeps['defaults'],
): AttemptIdentity {
  return {
    run_id: run,
    purpose: named.purpose ?? defaults.purpose,
    env_name: named.env ?? defaults.env,
    task_id: task,
    epoch: named.epoch ?? 0,
    group_id: named.group,
    group_size: named.group === null ? null : named.groupSize,
    rollout_id: named.rollout,
    attempt,
  };
}

function headOf(identity: AttemptIdentity, { head, startedAtUs }: Exchange, isInferred: boolean): AttemptHead {
  return { identity, isInferred, call: head.id, startedAtUs };
}
