import { hash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../../../ingest/exact-number.ts';
import { jsonText } from '../../../ingest/json-text.ts';
import { packTokenIds } from '../../../ingest/packed.ts';

/** What a request goes on from, told so that the beginnings of two can be compared. */
export type Conversation =
  | {
      readonly kind: 'messages';
      readonly messages: readonly JsonValue[];
      /** Of each message. */
      readonly hashes: readonly string[];
      /** Of the first n messages, at n - 1. */
      readonly chain: readonly string[];
    }
  | { readonly kind: 'ids'; readonly ids: Uint32Array }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' };

const NONE: Conversation = { kind: 'none' };

export function conversationOf(request: JsonObject | null): Conversation {
  if (request === null) return NONE;
  const { messages, input, input_ids, prompt, text } = request;
  if (Array.isArray(messages)) return ofMessages([...systemOf(request.system), ...messages]);
  if (input !== undefined) return ofMessages([...systemOf(request.instructions), ...itemsOf(input)]);
  for (const said of [input_ids, prompt, text]) {
    // One prompt may stand in a list of one.
    const one = Array.isArray(said) && said.length === 1 && typeof said[0] !== 'number' ? said[0] : said;
    if (typeof one === 'string') return { kind: 'text', text: one };
    const ids = Array.isArray(one) ? idsOf(one) : null;
    if (ids !== null) return { kind: 'ids', ids };
  }
  return NONE;
}

export function hashOf(text: string): string {
  return hash('sha256', text).slice(0, 24);
}

function ofMessages(messages: readonly JsonValue[]): Conversation {
  const hashes = messages.map((message) => hashOf(jsonText(message)));
  const chain: string[] = [];
  for (const one of hashes) chain.push(hashOf(`${chain.at(-1) ?? ''}/${one}`));
  return { kind: 'messages', messages, hashes, chain };
}

function systemOf(content: JsonValue | undefined): JsonValue[] {
  return content === undefined || content === null ? [] : [{ role: 'system', content }];
}

function itemsOf(input: JsonValue): readonly JsonValue[] {
  return Array.isArray(input) ? input : [{ role: 'user', content: input }];
}

/** null: they are no token ids. */
function idsOf(values: readonly JsonValue[]): Uint32Array | null {
  const isIds = values.every((id) => typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 32);
  return isIds ? wordsOf(packTokenIds(values, '')) : null;
}

/** A view of packed ids, or a copy where they lie askew. */
export function wordsOf(bytes: Buffer): Uint32Array {
  const isAligned = bytes.byteOffset % 4 === 0;
  const from = isAligned ? bytes : new Uint8Array(bytes);
  return new Uint32Array(from.buffer, from.byteOffset, bytes.length / 4);
}

/** The text of the first user message: what the task is, as far as anybody says. */
export function firstUserText(conversation: Conversation): string | null {
  if (conversation.kind === 'text') return conversation.text;
  if (conversation.kind !== 'messages') return null;
  const first = conversation.messages.find((message) => isObject(message) && message.role === 'user');
  return isObject(first) ? textOfContent(first.content) : null;
}

/** Text, or the texts of its parts; null: it has none. */
export function textOfContent(content: JsonValue | undefined): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
  return texts.length === 0 ? null : texts.join('');
}
