import { textOfBytes } from '../../../../processors/model/text-bytes.ts';
import { wordsOf } from '../call/conversation.ts';
import type { Exchange } from '../call/exchange.ts';

/**
 * A conversation as it stands after a call, under the key by which a request that goes on from it finds it: all messages of the
 * request, or all ids (or all text) of prompt and completion. null: nobody can go on from it.
 */
export function conversationKey({ conversation, answer }: Exchange): string | null {
  const { completion_ids: completion, raw_text: said } = answer.engine.call;
  switch (conversation.kind) {
    case 'messages':
      return messagesKey(conversation.chain, conversation.chain.length);
    case 'ids': {
      if (!completion) return null;
      const all = createRollingHash();
      all.addIds(conversation.ids);
      all.addIds(wordsOf(completion));
      return `i${all.length}:${all.value()}`;
    }
    case 'text': {
      const text = said ? textOfBytes(said) : null;
      if (text === null) return null;
      const all = createRollingHash();
      all.addText(conversation.text);
      all.addText(text);
      return `t${all.length}:${all.value()}`;
    }
    case 'none':
      return null;
  }
}

/** The same of a request alone, to which nothing was answered. */
export function requestKey({ conversation }: Exchange): string | null {
  if (conversation.kind === 'messages') return messagesKey(conversation.chain, conversation.chain.length);
  if (conversation.kind === 'none') return null;
  const all = createRollingHash();
  if (conversation.kind === 'ids') all.addIds(conversation.ids);
  else all.addText(conversation.text);
  return `${conversation.kind === 'ids' ? 'i' : 't'}${all.length}:${all.value()}`;
}

/** Keys of what a request may go on from, the longest first. `isLength`: whether anything is held of that kind and length. */
export function earlierKeys(
  { conversation }: Exchange,
  isLength: (kind: 'i' | 't', length: number) => boolean,
): readonly string[] {
  const keys: string[] = [];
  if (conversation.kind === 'messages') {
    const { chain } = conversation;
    for (let n = chain.length - 1; n > 0; n--) keys.push(messagesKey(chain, n) ?? '');
  } else if (conversation.kind === 'ids' || conversation.kind === 'text') {
    const kind = conversation.kind === 'ids' ? 'i' : 't';
    const all = createRollingHash();
    const see = (): void => {
      if (isLength(kind, all.length)) keys.unshift(`${kind}${all.length}:${all.value()}`);
    };
    if (conversation.kind === 'ids') all.addIds(conversation.ids, see);
    else all.addText(conversation.text, see);
  }
  return keys;
}

/** Of a key of ids or text. */
export function lengthOfKey(key: string): { readonly kind: 'i' | 't'; readonly length: number } | null {
  const kind = key[0];
  return kind === 'i' || kind === 't' ? { kind, length: Number(key.slice(1, key.indexOf(':'))) } : null;
}

function messagesKey(chain: readonly string[], n: number): string | null {
  return n === 0 ? null : `m${n}:${chain[n - 1]}`;
}

interface RollingHash {
  readonly length: number;
  addIds(ids: Uint32Array, each?: () => void): void;
  addText(text: string, each?: () => void): void;
  value(): string;
}

/** Of a sequence, at any of its places: two sums of 32 bits with different factors. */
function createRollingHash(): RollingHash {
  let [a, b, length] = [0x811c9dc5, 0x9e3779b9, 0];
  const add = (item: number): void => {
    a = Math.imul(a ^ item, 0x01000193) ^ (a >>> 15);
    b = Math.imul(b + item + 1, 0x85ebca6b) ^ (b >>> 13);
    length += 1;
  };
  return {
    get length() {
      return length;
    },
    addIds(ids, each) {
      for (const id of ids) {
        add(id);
        each?.();
      }
    },
    addText(text, each) {
      for (let i = 0; i < text.length; i++) {
        add(text.charCodeAt(i));
        each?.();
      }
    },
    value: () => `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`,
  };
}
