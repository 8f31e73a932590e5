import { isObject } from '../../../ingest/exact-number.ts';
import type { Exchange } from '../call/exchange.ts';
import { replyHash } from '../call/reply.ts';
import { promptOf } from '../events/call-events.ts';
import type { AttemptEntry, AttemptState } from './attempt-state.ts';
import { earlierKeys, lengthOfKey } from './conversation-keys.ts';
import type { OpenAttempt } from './open-attempts.ts';

/** Finds the open attempt that a request without a name goes on with. */
export interface FoundConversations {
  add(attempt: OpenAttempt, entry: Pick<AttemptEntry, 'found' | 'segment'>): void;
  remove(attempt: OpenAttempt): void;
  /** null: it goes on with none, or nobody can tell with which. */
  find(exchange: Exchange, mayBe: (attempt: OpenAttempt) => boolean): OpenAttempt | null;
  /** Keys of the conversations of an attempt. */
  keysOf(attempt: OpenAttempt): readonly string[];
}

interface Conversation {
  readonly key: string;
  readonly reply: string | null;
}

/** Attempts whose ids are compared when their conversations are alike so far: rollouts of one group begin with the same prompt. */
const COMPARED = 64;

export function createFoundConversations(stateOf: (attempt: OpenAttempt) => AttemptState): FoundConversations {
  /** By key: attempts in the order in which they came to it, with what was answered there. */
  const byKey = new Map<string, Map<OpenAttempt, string | null>>();
  const ofAttempt = new Map<OpenAttempt, Map<string, Conversation>>();
  const lengths = new Map<string, number>();

  function count(key: string, by: 1 | -1): void {
    const of = lengthOfKey(key);
    if (of === null) return;
    const name = `${of.kind}${of.length}`;
    const left = (lengths.get(name) ?? 0) + by;
    if (left === 0) lengths.delete(name);
    else lengths.set(name, left);
  }

  function leave(attempt: OpenAttempt, { key }: Conversation): void {
    const there = byKey.get(key);
    there?.delete(attempt);
    if (there?.size === 0) byKey.delete(key);
    count(key, -1);
  }

  return {
    add(attempt, { found, segment }) {
      if (found === null || segment === null) return;
      const mine = ofAttempt.get(attempt) ?? new Map<string, Conversation>();
      ofAttempt.set(attempt, mine);
      const before = mine.get(segment.id);
      if (before !== undefined) leave(attempt, before);
      mine.set(segment.id, { key: found, reply: segment.reply });
      const there = byKey.get(found) ?? new Map<OpenAttempt, string | null>();
      byKey.set(found, there.set(attempt, segment.reply));
      count(found, 1);
    },
    remove(attempt) {
      for (const one of ofAttempt.get(attempt)?.values() ?? []) leave(attempt, one);
      ofAttempt.delete(attempt);
    },
    find(exchange, mayBe) {
      const keys = earlierKeys(exchange, (kind, length) => lengths.has(`${kind}${length}`));
      for (const key of keys) {
        const there = new Map([...(byKey.get(key) ?? [])].filter(([attempt]) => mayBe(attempt)));
        if (there.size === 0) continue;
        const found = chosen(exchange, there, lengthOfMessages(key));
        if (found !== undefined) return found;
      }
      return null;
    },
    keysOf: (attempt) => [...(ofAttempt.get(attempt)?.values() ?? [])].map(({ key }) => key),
  };

  /** undefined: none of them. */
  function chosen(
    exchange: Exchange,
    there: ReadonlyMap<OpenAttempt, string | null>,
    length: number,
  ): OpenAttempt | undefined {
    const answer = answerAt(exchange, length);
    const same = [...there].filter(([, reply]) => reply !== null && reply === answer).map(([attempt]) => attempt);
    const alike = same.length > 0 ? same : [...there.keys()];
    if (alike.length === 1 || exchange.conversation.kind !== 'messages') return alike[0];
    const prompt = promptOf(exchange);
    const byIds = prompt === null ? undefined : alike.slice(0, COMPARED).find((attempt) => isHeld(attempt, prompt));
    // Those that answered the same are one as good as the other; of those that answered otherwise none is.
    return byIds ?? (same.length > 0 ? same[0] : undefined);
  }

  function isHeld(attempt: OpenAttempt, prompt: Uint32Array): boolean {
    return stateOf(attempt).segments.some(({ held }) => held.length > 0 && held.commonPrefix(prompt) === held.length);
  }
}

function lengthOfMessages(key: string): number {
  return key.startsWith('m') ? Number(key.slice(1, key.indexOf(':'))) : -1;
}

/** What the request says was answered behind its first messages; null: nothing. */
function answerAt({ conversation }: Exchange, length: number): string | null {
  if (conversation.kind !== 'messages' || length < 0) return null;
  const message = conversation.messages[length];
  return isObject(message) && message.role === 'assistant' ? replyHash(message) : null;
}
